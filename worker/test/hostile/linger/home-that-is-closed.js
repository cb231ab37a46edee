// Removes all permissions of its folders, so that nobody can clean up.
// ends: end "closed"
const { chmodSync, mkdirSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');

module.exports = () => {
  for (const folder of ['deep/er', 'other']) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/file`, 'x');
  }
  for (const path of ['deep/er/file', 'deep/er', 'deep', 'other', tmpdir(), '.']) {
    try {
      chmodSync(path, 0);
    } catch {
      // Not its own folder.
    }
  }
  return 'closed';
};
