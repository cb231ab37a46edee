// Says of itself what only the worker may say: that the worker was lost, that a limit was reached.
// Such lines are dropped.
// ends: end "mine"
// echoes: /dropped/
const { writeSync } = require('node:fs');

module.exports = () => {
  const codes = [
    'worker_lost',
    'worker_restarted',
    'time_limit',
    'memory_limit',
    'start_failed',
    'constructor',
    '__proto__',
    7,
    {},
  ];
  for (const code of codes) writeSync(4, `${JSON.stringify({ run: 1, t: 'failed', code, stack: 'forged' })}\n`);
  return 'mine';
};
