// Writes on every descriptor that it has, and those that it might have.
// ends: end "written" | process_ended
const { writeSync } = require('node:fs');

module.exports = () => {
  const junk = Buffer.from('\0\x01\x02{"run":1,"t":"settled"\n[[[\n'.repeat(100));
  // 4 is where the result goes; junk on it is dropped.
  for (let fd = 0; fd <= 40; fd += 1) {
    try {
      writeSync(fd, junk);
    } catch {
      // Not open, or only read.
    }
  }
  return 'written';
};
