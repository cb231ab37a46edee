const assert = require('node:assert');
const { test } = require('node:test');
const { greetingFor } = require('./greeting.js');

test('a greeting has the name without spaces around it', () => {
  assert.strictEqual(greetingFor(' Trawl '), 'Hello, Trawl');
});
