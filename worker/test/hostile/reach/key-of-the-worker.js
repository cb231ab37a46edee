// Looks for the worker's key in every file that can be read: processes, descriptors, folders of the machine.
// None of them contains it.
// ends: end []
const { readdirSync, readFileSync, statSync } = require('node:fs');
const got = require('../got.js');

// Not in one piece, or the search would find this file.
const KEY = ['trw', 'test-key'].join('_');

/** Whether a file in a folder contains it, searched to a number of levels. */
function isIn(folder, levels) {
  return entriesOf(folder).some(name => {
    const path = `${folder}/${name}`;
    try {
      const stat = statSync(path);
      if (stat.isDirectory()) return levels > 0 && isIn(path, levels - 1);
      return stat.isFile() && stat.size < 1_000_000 && readFileSync(path).includes(KEY);
    } catch {
      return false;
    }
  });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const inEach = name =>
  entriesOf('/proc').some(pid => {
    try {
      return readFileSync(`/proc/${pid}/${name}`).includes(KEY);
    } catch {
      return false;
    }
  });

module.exports = ({ worker }) =>
  got({
    'in an environment': () => inEach('environ'),
    'in a command line': () => inEach('cmdline'),
    'in what others have open': () => entriesOf('/proc').some(pid => /^\d/.test(pid) && isIn(`/proc/${pid}/fd`, 0)),
    "in the worker's folder": () => isIn(worker.folder, 5),
    'in folders of the machine': () =>
      ['/etc', '/home', '/root', '/var', '/run', '/opt', '/srv'].some(path => isIn(path, 2)),
    'in folders for whatever': () => ['/tmp', '/var/tmp', '/dev/shm'].some(path => isIn(path, 4)),
  });
