// Sends storage calls for ever to a database that does not answer.
// The worker bounds the pending calls, and the time limit ends the run.
// ends: time_limit
// time: 1500
const { writeSync } = require('node:fs');

module.exports = () => {
  const op = { method: 'countDocuments', collection: 'never answered' };
  const args = Buffer.alloc(1_000);
  for (let call = 1; ; call += 1) {
    const line = `${JSON.stringify({ bytes: args.length, run: 1, t: 'storage', call, op })}\n`;
    writeSync(4, Buffer.concat([Buffer.from(line), args]));
  }
};
