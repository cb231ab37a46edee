// Writes a line of twenty million bytes, then an honest one.
// What is too long is dropped, in bounded memory; what follows it counts.
// ends: end "after"
const { writeSync } = require('node:fs');

module.exports = () => {
  const bytes = Buffer.alloc(1_000_000, 'x');
  for (let n = 0; n < 20; n += 1) for (let at = 0; at < bytes.length; ) at += writeSync(4, bytes, at);
  writeSync(4, '\n');
  return 'after';
};
