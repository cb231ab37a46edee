const assert = require('node:assert');
const { test } = require('node:test');
const { addressesOf } = require('./links.js');

test('links lead to whole addresses of web pages, each once', () => {
  const hrefs = ['/a', 'b', '/a', 'mailto:me@example.com', 'http://'];
  assert.deepStrictEqual(addressesOf(hrefs, 'https://example.com/x/'), [
    'https://example.com/a',
    'https://example.com/x/b',
  ]);
});
