const { appendFileSync } = require('node:fs');

/** Writes a file into each of the folders until the run ends, whether or not anything more can be written. */
module.exports = folders => {
  const bytes = Buffer.alloc(1_000_000, 1);
  const fill = () => {
    for (const folder of folders) {
      try {
        appendFileSync(`${folder}/full`, bytes);
      } catch {
        // Full, or not writable.
      }
    }
    setImmediate(fill);
  };
  fill();
  return new Promise(() => {});
};
