const assert = require('node:assert');
const { test } = require('node:test');
const { tidy } = require('./tidy.js');

test('a text of a page is on one line', () => {
  assert.strictEqual(tidy('\n  Two\n  words '), 'Two words');
});
