// Sends the worker commands for runs, and messages of spawners, watchdogs and sandboxes.
// The worker accepts none of them from a run.
// ends: end "mine"
// echoes: /dropped/
const { writeSync } = require('node:fs');

const LINES = [
  { run: 1, t: 'start', code: 'x', input: null },
  { run: 1, t: 'stop' },
  { run: 1, t: 'kill', pid: 1 },
  { run: 1, t: 'spawn', command: 'sh', args: [] },
  { run: 1, t: 'begun', mark: { pid: 1, uid: 0 } },
  { run: 1, t: 'heard' },
  { 'child-pid': 1 },
  { 'exit-code': 0 },
  { cmd: 'NODE_HANDLE', type: 'net.Socket' },
  { cmd: 'NODE_CLUSTER', act: 'exitedAfterDisconnect' },
];

module.exports = () => {
  for (const line of LINES) {
    for (let fd = 0; fd <= 12; fd += 1) {
      try {
        writeSync(fd, `${JSON.stringify(line)}\n`);
      } catch {
        // Not a pipe, or not writable.
      }
    }
  }
  return 'mine';
};
