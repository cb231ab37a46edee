// Writes invalid echoes: wrong types, wrong times, own numbers, far too many at once.
// The worker shows what it can as text, and numbers the echoes itself.
// ends: end "mine"
const { writeSync } = require('node:fs');

module.exports = () => {
  const items = [
    null,
    {},
    [],
    7,
    ['log'],
    ['__proto__', 'x', 'y'],
    [{ toString: 1 }, { toString: 1 }, { toString: 1 }],
    ['log', 'from the future', '9999999-01-01T00:00:00.000Z'],
    ['log', 'from before', '-000001-01-01T00:00:00.000Z'],
    ['image', 'data:text/html,<script>alert(1)</script>', ''],
    ['image', 'javascript:alert(1)', ''],
    ['objekt', 'no JSON', ''],
    ['log', '\0\u0000\ud800 \x1b[2J', ''],
    ['log', '=cmd|calc', ''],
    ['log', '"\n1,2026-01-01,log,"forged row"\n', ''],
    ['log', 'x', '', 1, 'seq'],
    { type: 'log', msg: 'x', seq: 1 },
  ];
  writeSync(4, `${JSON.stringify({ run: 1, t: 'echoes', items })}\n`);
  writeSync(4, `${JSON.stringify({ run: 1, t: 'echoes', items: { length: 1e9 } })}\n`);
  writeSync(4, `${JSON.stringify({ run: 1, t: 'echoes', items: Array(100_000).fill(['log', 'x', '']) })}\n`);
  return 'mine';
};
