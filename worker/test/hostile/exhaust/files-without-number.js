// Makes empty files for ever.
// ends: file_limit
// says: /TRAWL_RUN_FILES/
const { writeFileSync } = require('node:fs');

module.exports = () => {
  let n = 0;
  const more = () => {
    try {
      for (let k = 0; k < 100; k += 1) writeFileSync(`file-${n++}`, '');
    } catch {
      // Try again.
    }
    setImmediate(more);
  };
  more();
  return new Promise(() => {});
};
