// Mounts, unmounts and remounts, to uncover hidden files or to write to read-only ones.
// All attempts fail, and read-only files stay read-only.
// ends: end []
const { execFileSync } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const got = require('../got.js');

const runs =
  (...command) =>
  () =>
    execFileSync(command[0], command.slice(1), { stdio: 'ignore' });

module.exports = () => {
  mkdirSync('place');
  return got({
    'a file system in memory': runs('mount', '-t', 'tmpfs', 'none', 'place'),
    'the processes': runs('mount', '-t', 'proc', 'none', 'place'),
    'a folder elsewhere': runs('mount', '--bind', '/', 'place'),
    'a disk': runs('mount', '/dev/vda1', 'place'),
    'writable what is not': runs('mount', '-o', 'remount,rw', '/'),
    'the programs writable': runs('mount', '-o', 'remount,rw,bind', '/usr'),
    'away with the processes': runs('umount', '/proc'),
    'away with its temporary folder': runs('umount', '-l', '/tmp'),
    'a file in the root': () => writeFileSync('/new.txt', 'x'),
    'a file among the programs': () => writeFileSync('/usr/bin/new', 'x'),
    'a file in the settings': () => writeFileSync('/etc/new', 'x'),
    'a file among the devices': () => writeFileSync('/dev/new', 'x'),
  });
};
