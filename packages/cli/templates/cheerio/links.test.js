const assert = require('node:assert');
const { test } = require('node:test');
const { addressesOf } = require('./links.js');

test('addressesOf returns each web address once and in full, and leaves out other links', () => {
  const hrefs = ['/a', 'b', '/a', 'mailto:me@example.com', 'http://'];
  assert.deepStrictEqual(addressesOf(hrefs, 'https://example.com/x/'), [
    'https://example.com/a',
    'https://example.com/x/b',
  ]);
});
