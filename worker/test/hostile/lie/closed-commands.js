// Closes its command pipe, and continues.
// A stop still ends it.
// ends: stop | process_ended | exception
// stop: up
const { closeSync } = require('node:fs');

module.exports = () => {
  console.log('up');
  closeSync(3);
  return new Promise(() => setInterval(() => {}, 1000));
};
