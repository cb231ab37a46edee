// Reads the pipe on which commands come, before the runner does.
// There is nothing in it for others, and a stop ends it all the same.
// ends: stop
// stop: up
const { readSync } = require('node:fs');

module.exports = () => {
  console.log('up');
  for (;;) {
    try {
      readSync(3, Buffer.alloc(65_536));
    } catch {
      // Nothing yet.
    }
  }
};
