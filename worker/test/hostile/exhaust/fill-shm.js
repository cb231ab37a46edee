// Fills the memory that processes share.
// It has a size, and reaching it ends the run, whether or not the skript minds that nothing can be written any more.
// ends: disk_limit
// says: /TRAWL_RUN_DISK_MB/
const { appendFileSync } = require('node:fs');

module.exports = () => {
  const folder = '/dev/shm';
  const bytes = Buffer.alloc(1_000_000, 1);
  const fill = () => {
    try {
      appendFileSync(`${folder}/full`, bytes);
    } catch {
      // On with it.
    }
    setImmediate(fill);
  };
  fill();
  return new Promise(() => {});
};
