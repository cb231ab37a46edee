// Creates namespaces in which it would be root, and enters those of others.
// All attempts fail.
// ends: end []
const { execFileSync } = require('node:child_process');
const { openSync } = require('node:fs');
const got = require('../got.js');

const runs =
  (...command) =>
  () =>
    execFileSync(command[0], command.slice(1), { stdio: 'ignore' });

module.exports = ({ worker }) =>
  got({
    'as root of a user namespace': runs('unshare', '--user', '--map-root-user', 'true'),
    'with processes of its own': runs('unshare', '--pid', '--fork', 'true'),
    'with a network of its own': runs('unshare', '--user', '--net', 'true'),
    'with mounts of its own': runs('unshare', '--mount', 'true'),
    'those of the worker': runs('nsenter', '--target', worker.pid, '--all', 'true'),
    'those of the first process': runs('nsenter', '--target', '1', '--user', '--mount', 'true'),
    'a sandbox in the sandbox': runs('bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'),
    'by a file': () => openSync(`/proc/${worker.pid}/ns/mnt`, 'r'),
    'as another user': () => require('node:fs').writeFileSync('/proc/self/uid_map', '0 0 1'),
  });
