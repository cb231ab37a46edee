// Sends an output that is not JSON, bypassing the runner.
// ends: output_not_json
const { writeSync } = require('node:fs');

module.exports = () => {
  writeSync(4, `${JSON.stringify({ run: 1, t: 'settled', output: '{"a":1}}; DROP TABLE executions; --' })}\n`);
  return new Promise(() => setInterval(() => {}, 1000));
};
