// Sends error codes that only the worker may set: worker lost, limit reached.
// The worker drops such lines.
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
