// Traces the worker, its parent, the first process, and a child of its own.
// No process may trace another, not even its own child.
// ends: end []
const { spawn, execFileSync } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const got = require('../got.js');
const systemCall = require('../system-call.js');

const ATTACH = 16;
const SEIZE = 0x4206;

module.exports = async ({ worker }) => {
  const child = spawn('sleep', ['100']);
  return got({
    'the worker': () => systemCall('ptrace', ATTACH, worker.pid, 0, 0),
    'its parent': () => systemCall('ptrace', ATTACH, process.ppid, 0, 0),
    'its child': () => systemCall('ptrace', SEIZE, child.pid, 0, 0),
    'asking to be traced': () => systemCall('ptrace', 0, 0, 0, 0),
    'with a program': () => execFileSync('strace', ['true'], { stdio: 'ignore' }),
    'with a debugger': () => execFileSync('gdb', ['-batch', '-p', worker.pid], { stdio: 'ignore' }),
    'what the worker calls': () => require('node:fs').readFileSync(`/proc/${worker.pid}/syscall`),
    'the filter of its dumps': () => writeFileSync(`/proc/${worker.pid}/coredump_filter`, '0xff'),
  });
};
