// Lists the processes of the machine, their programs and arguments.
// It sees only its own, and no path of the machine in them.
// ends: end []
const { readdirSync, readFileSync } = require('node:fs');
const got = require('../got.js');

const pids = () => readdirSync('/proc').filter(name => /^\d+$/.test(name));
const commands = () => pids().map(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));

module.exports = ({ worker, outside }) =>
  got({
    many: () => pids().length > 3,
    'the worker': () => pids().includes(String(worker.pid)),
    'its folder in a command': () => commands().some(command => command.includes(worker.folder)),
    'the tests in a command': () => commands().some(command => command.includes('jest')),
    'a folder of others in the mounts': () => readFileSync('/proc/self/mountinfo', 'utf8').includes(outside.folder),
    'folders of the machine by their names': () =>
      readdirSync('/').some(name => ['root', 'boot', 'mnt', 'media', 'srv'].includes(name)),
  });
