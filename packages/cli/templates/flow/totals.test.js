const assert = require('node:assert');
const { test } = require('node:test');
const { withPage } = require('./totals.js');

test('totals count the pages and their characters', () => {
  assert.deepStrictEqual(withPage({ pages: 1, chars: 5 }, 'abc'), { pages: 2, chars: 8 });
});
