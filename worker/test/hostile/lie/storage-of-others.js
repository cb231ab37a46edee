// Sends invalid storage operations, and operations in the name of other runs.
// The worker refuses or drops them.
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
    { method: 'find', collection: 'a' },
    { method: 'find', token: 'x', id: 'x', resend: true },
  ];
  for (const op of ops) {
    for (const call of [1, -1, 1e308, '1', null, {}]) {
      writeSync(4, `${JSON.stringify({ run: 1, t: 'storage', call, op })}\n`);
      writeSync(4, `${JSON.stringify({ bytes: 5, run: 1, t: 'storage', call, op })}\n\n\n{}\n`);
    }
  }
  // Lengths of data that no storage call has.
  for (const bytes of ['600000', '999999999', '9'.repeat(400), '-1', '1e9']) {
    writeSync(4, `{"bytes":${bytes},"run":1,"t":"storage","call":1,"op":{}}\n`);
  }
  return 'mine';
};
