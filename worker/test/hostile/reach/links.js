// Leaves symbolic links to files and folders outside, reads through them, and lets the worker's
// cleanup meet them.
// They lead nowhere, and their targets stay untouched.
// ends: end []
const { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const got = require('../got.js');

module.exports = ({ worker, outside }) => {
  mkdirSync('deep/er', { recursive: true });
  for (const [n, folder] of ['.', 'deep', 'deep/er', tmpdir()].entries()) {
    symlinkSync(outside.folder, `${folder}/folder-${n}`);
    symlinkSync(`${outside.folder}/secret.txt`, `${folder}/file-${n}`);
    symlinkSync(`${worker.folder}/worker`, `${folder}/worker-${n}`);
    symlinkSync(`/proc/${worker.pid}/root`, `${folder}/root-${n}`);
    symlinkSync('/', `${folder}/top-${n}`);
    symlinkSync('.', `${folder}/circle-${n}`);
  }
  return got({
    'reading a file': () => readFileSync('file-0'),
    'reading in a folder': () => readFileSync('folder-0/secret.txt'),
    'listing a folder': () => readdirSync('deep/folder-1'),
    'writing into a folder': () => writeFileSync('folder-0/new.txt', 'x'),
    'writing a file': () => writeFileSync('file-0', 'x'),
    'by the worker': () => readdirSync('worker-0'),
    'by its root': () => readdirSync('root-0'),
    'a hard link': () => linkSync(`${outside.folder}/secret.txt`, 'hard'),
    'a hard link to a program': () => linkSync('/usr/bin/passwd', 'hard-program'),
    'a hard link by a descriptor': () => linkSync('/proc/self/exe', 'hard-self'),
  });
};
