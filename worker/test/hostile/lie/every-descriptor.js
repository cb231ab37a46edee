// Writes to every descriptor that it has or might have.
// ends: end "written" | process_ended
const { writeSync } = require('node:fs');

module.exports = () => {
  const junk = Buffer.from('\0\x01\x02{"run":1,"t":"settled"\n[[[\n'.repeat(100));
  // Descriptor 4 takes the result; the worker drops junk on it.
  for (let fd = 0; fd <= 40; fd += 1) {
    try {
      writeSync(fd, junk);
    } catch {
      // Not open, or not writable.
    }
  }
  return 'written';
};
