// Reads and writes foreign memory: through /proc, a system call, a device.
// All attempts fail.
// ends: end []
const { openSync, readFileSync, readSync } = require('node:fs');
const got = require('../got.js');
const systemCall = require('../system-call.js');

const reads = path => () => readSync(openSync(path, 'r'), Buffer.alloc(64), 0, 64, 4096) > 0;

module.exports = ({ worker }) =>
  got({
    'its map': () => readFileSync(`/proc/${worker.pid}/maps`),
    'its memory': () => openSync(`/proc/${worker.pid}/mem`, 'r+'),
    'by a call': () => systemCall('process_vm_readv', worker.pid, 'x', 1, 'x', 1, 0),
    'the memory of the machine': reads('/dev/mem'),
    'the memory of the kernel': reads('/proc/kcore'),
    'where the kernel is': () => /^[0-9a-f]*[1-9a-f]/m.test(readFileSync('/proc/kallsyms', 'utf8').slice(0, 16)),
    'a register of the machine': reads('/dev/cpu/0/msr'),
    'the stack in the kernel': () => readFileSync(`/proc/${worker.pid}/stack`),
  });
