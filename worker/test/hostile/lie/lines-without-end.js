// Writes a line of twenty million bytes, then an honest one.
// The worker drops the long line in bounded memory, and reads on.
// ends: end "after"
const { writeSync } = require('node:fs');

module.exports = () => {
  const bytes = Buffer.alloc(1_000_000, 'x');
  for (let n = 0; n < 20; n += 1) for (let at = 0; at < bytes.length; ) at += writeSync(4, bytes, at);
  writeSync(4, '\n');
  return 'after';
};
