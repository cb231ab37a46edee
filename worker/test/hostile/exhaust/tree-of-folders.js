// Makes nested folders, deeper than the maximum length of a path.
// The tree is removed with the run.
// ends: end "made" | file_limit
const { mkdirSync } = require('node:fs');

module.exports = () => {
  for (let n = 0; n < 1_500; n += 1) {
    mkdirSync('a-folder-with-a-name-of-some-length');
    process.chdir('a-folder-with-a-name-of-some-length');
  }
  return 'made';
};
