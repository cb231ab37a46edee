// Opens files for ever.
// ends: file_limit
// says: /TRAWL_RUN_FILES/
const { openSync } = require('node:fs');

module.exports = () => {
  for (;;) openSync('/dev/null', 'r');
};
