// Makes folders in folders, deeper than any path can say.
// The tree goes with the run.
// ends: end "made" | file_limit
const { mkdirSync } = require('node:fs');

module.exports = () => {
  for (let n = 0; n < 1_500; n += 1) {
    mkdirSync('a-folder-with-a-name-of-some-length');
    process.chdir('a-folder-with-a-name-of-some-length');
  }
  return 'made';
};
