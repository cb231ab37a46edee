// Reads the command pipe before the runner does.
// The pipe holds nothing of others, and a stop still ends it.
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
