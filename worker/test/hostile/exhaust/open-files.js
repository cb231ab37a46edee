// Opens files for ever.
// ends: file_limit
// says: /1000 open files in a process.*TRAWL_RUN_OPEN_FILES/
const { openSync } = require('node:fs');

module.exports = () => {
  for (;;) openSync('/dev/null', 'r');
};
