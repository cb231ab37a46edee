// Looks up thousands of names at once without waiting for the answers.
// ends: end "asked"
const { lookup, resolve4 } = require('node:dns');

module.exports = () => {
  for (let n = 0; n < 5_000; n += 1) {
    lookup(`name-${n}.invalid`, () => {});
    resolve4(`name-${n}.invalid`, () => {});
  }
  return 'asked';
};
