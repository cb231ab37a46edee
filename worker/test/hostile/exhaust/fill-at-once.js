// Writes more than fits in one go and then fails by it: the run ends before anyone looks.
// The end names the limit all the same.
// ends: disk_limit
// says: /TRAWL_RUN_DISK_MB/
const { writeFileSync } = require('node:fs');

module.exports = () => {
  writeFileSync('full', Buffer.alloc(40_000_000, 1));
};
