// Fills the disk with deleted files that are still open.
// Their size counts.
// ends: disk_limit
// says: /TRAWL_RUN_DISK_MB/
const { openSync, unlinkSync, writeSync } = require('node:fs');

module.exports = () => {
  const bytes = Buffer.alloc(1_000_000, 1);
  for (let n = 0; ; n += 1) {
    const fd = openSync(`gone-${n}`, 'w');
    unlinkSync(`gone-${n}`);
    writeSync(fd, bytes);
  }
};
