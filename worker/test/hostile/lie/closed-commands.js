// Closes the pipe on which commands come, and goes on.
// A stop ends it all the same.
// ends: stop | process_ended | exception
// stop: up
const { closeSync } = require('node:fs');

module.exports = () => {
  console.log('up');
  closeSync(3);
  return new Promise(() => setInterval(() => {}, 1000));
};
