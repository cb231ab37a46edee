// Tries to end other runs, by every id that a run has in the worker protocol.
// The worker identifies a run by the pipe, not by the message.
// ends: end "mine"
const { writeSync } = require('node:fs');

module.exports = ({ neighbour }) => {
  const others = ['id', 'run', 'execution_id', 'execution', 'place', 'uid', 'pid', 'boot_id', 'epoch'];
  for (const name of others) {
    for (const value of [neighbour.uid, 0, 1, '00000000-0000-0000-0000-000000000000', null]) {
      writeSync(4, `${JSON.stringify({ run: 1, t: 'finish', [name]: value, action: 'end', output: '"theirs"' })}\n`);
      writeSync(4, `${JSON.stringify({ run: 1, t: 'echo_chunk', [name]: value, n: 1, from_seq: 1, to_seq: 9 })}\n`);
      writeSync(4, `${JSON.stringify({ run: 1, t: 'control', [name]: value, cmd: 'stop' })}\n`);
    }
  }
  return 'mine';
};
