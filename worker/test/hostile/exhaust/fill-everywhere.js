// Writes into every writable folder that it finds.
// Together they hold no more than the disk limit.
// ends: disk_limit | memory_limit
const { readdirSync } = require('node:fs');
const fill = require('../fill.js');

function foldersIn(folder, levels) {
  let names = [];
  try {
    names = readdirSync(folder || '/', { withFileTypes: true }).filter(entry => entry.isDirectory());
  } catch {
    // Not readable.
  }
  const inner = levels > 0 ? names.flatMap(({ name }) => foldersIn(`${folder}/${name}`, levels - 1)) : [];
  return [folder || '/', ...inner];
}

module.exports = () => fill(foldersIn('', 2).filter(folder => !/^\/(proc|sys)(\/|$)/.test(folder)));
