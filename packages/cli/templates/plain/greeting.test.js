const assert = require('node:assert');
const { test } = require('node:test');
const { greetingFor } = require('./greeting.js');

test('greetingFor removes the spaces around the name', () => {
  assert.strictEqual(greetingFor(' Trawl '), 'Hello, Trawl');
});
