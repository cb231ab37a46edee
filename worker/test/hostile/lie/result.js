// Writes the result of the run itself, and continues.
// A run may choose its own result, and ends with it.
// ends: end "forged"
const { writeSync } = require('node:fs');

module.exports = () => {
  writeSync(4, '{"run":1,"t":"settled","output":"\\"forged\\""}\n');
  return new Promise(() => setInterval(() => {}, 1000));
};
