// Writes more than fits in one call and fails: the run ends before the worker checks.
// The error still names the limit.
// ends: disk_limit
// says: /TRAWL_RUN_DISK_MB/
const { writeFileSync } = require('node:fs');

module.exports = () => {
  writeFileSync('full', Buffer.alloc(40_000_000, 1));
};
