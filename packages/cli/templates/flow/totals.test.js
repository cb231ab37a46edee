const assert = require('node:assert');
const { test } = require('node:test');
const { withPage } = require('./totals.js');

test('withPage adds a page and its characters to the totals', () => {
  assert.deepStrictEqual(withPage({ pages: 1, chars: 5 }, 'abc'), { pages: 2, chars: 8 });
});
