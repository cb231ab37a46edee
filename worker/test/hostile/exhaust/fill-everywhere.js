// Writes into every folder that it finds writable, wherever that is.
// Together they hold no more than what a run may write.
// ends: disk_limit | memory_limit
const { appendFileSync, readdirSync } = require('node:fs');

function foldersIn(folder, levels) {
  let names = [];
  try {
    names = readdirSync(folder || '/', { withFileTypes: true }).filter(entry => entry.isDirectory());
  } catch {
    // Not to be listed.
  }
  const inner = levels > 0 ? names.flatMap(({ name }) => foldersIn(`${folder}/${name}`, levels - 1)) : [];
  return [folder || '/', ...inner];
}

module.exports = () => {
  const bytes = Buffer.alloc(1_000_000, 1);
  const folders = foldersIn('', 2).filter(folder => !/^\/(proc|sys)(\/|$)/.test(folder));
  const fill = () => {
    for (const folder of folders) {
      try {
        appendFileSync(`${folder}/full`, bytes);
      } catch {
        // Not here.
      }
    }
    setImmediate(fill);
  };
  fill();
  return new Promise(() => {});
};
