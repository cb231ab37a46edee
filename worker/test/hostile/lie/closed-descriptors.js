// Closes all of its descriptors, even those of the event loop.
// That or the time limit ends it.
// ends: process_ended | exception | time_limit | end "closed"
// time: 2000
const { closeSync } = require('node:fs');

module.exports = () => {
  for (let fd = 0; fd < 64; fd += 1) {
    try {
      closeSync(fd);
    } catch {
      // Not open.
    }
  }
  return 'closed';
};
