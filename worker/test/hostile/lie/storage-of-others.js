// Asks for storage with operations that no library makes, and in the name of others.
// Each is refused or dropped; the call's answer is its own.
// ends: end "mine"
const { writeSync } = require('node:fs');

module.exports = () => {
  const ops = [
    null,
    7,
    [],
    {},
    { method: 'dropDatabase' },
    { method: 'eval', args: ['1'] },
    { method: '__proto__' },
    { method: 'find', database: '../admin', collection: 'system.users', args: [{}] },
    { method: 'find', collection: 'a', args: [{ $where: 'while (true);' }] },
    { method: 'find', token: 'x', id: 'x', resend: true },
  ];
  for (const op of ops) {
    for (const call of [1, -1, 1e308, '1', null, {}])
      writeSync(4, `${JSON.stringify({ run: 1, t: 'storage', call, op })}\n`);
  }
  return 'mine';
};
