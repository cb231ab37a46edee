// Leaves files wherever it may write, with names that programs of the next run read automatically.
// The next run finds none of them (it searches for them).
// ends: end "left"
const { mkdirSync, writeFileSync } = require('node:fs');
const { tmpdir, homedir } = require('node:os');

const NAMES = [
  'package.json',
  '.npmrc',
  '.bashrc',
  '.profile',
  '.node_repl_history',
  'node_modules/cheerio/index.js',
  'main.js',
];

module.exports = () => {
  for (const folder of ['.', homedir(), tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/run', '/dev/mqueue']) {
    for (const name of NAMES) {
      try {
        mkdirSync(`${folder}/node_modules/cheerio`, { recursive: true });
        writeFileSync(`${folder}/${name}`, 'process.exit(7)');
      } catch {
        // Not writable: nothing to leave.
      }
    }
  }
  return 'left';
};
