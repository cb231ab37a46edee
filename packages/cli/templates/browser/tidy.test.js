const assert = require('node:assert');
const { test } = require('node:test');
const { tidy } = require('./tidy.js');

test('tidy puts a text of several lines on one line', () => {
  assert.strictEqual(tidy('\n  Two\n  words '), 'Two words');
});
