// Writes the result of the run by hand, and goes on.
// That is the run's own result, which it may choose; it is over by it.
// ends: end "forged"
const { writeSync } = require('node:fs');

module.exports = () => {
  writeSync(4, '{"run":1,"t":"settled","output":"\\"forged\\""}\n');
  return new Promise(() => setInterval(() => {}, 1000));
};
