// Fills the shared memory of processes.
// It has a size, and reaching it ends the run, whether or not the skript minds that nothing can be written any more.
// ends: disk_limit
// says: /TRAWL_RUN_DISK_MB/
const fill = require('../fill.js');

module.exports = () => fill(['/dev/shm']);
