const assert = require('node:assert');
const { test } = require('node:test');
const { priceOf } = require('./price.js');

test('priceOf returns the number in a price', () => {
  assert.deepStrictEqual(['£1,049.50', '£3', 'Sold out'].map(priceOf), [1049.5, 3, null]);
});
