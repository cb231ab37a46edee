// Asks a database that does not answer, without end.
// No more are under way than the worker allows, and the run has its time.
// ends: time_limit
// time: 1500
const { writeSync } = require('node:fs');

module.exports = () => {
  const op = { method: 'countDocuments', collection: 'never answered', args: '{"filter":{}}' };
  for (let call = 1; ; call += 1) writeSync(4, `${JSON.stringify({ run: 1, t: 'storage', call, op })}\n`);
};
