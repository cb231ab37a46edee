// Sends an endlessly nested output, bypassing the runner.
// ends: output_not_json
// says: /nested more than/
const { writeSync } = require('node:fs');

module.exports = () => {
  const output = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const line = Buffer.from(`${JSON.stringify({ run: 1, t: 'settled', output })}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(4, line, at);
  return new Promise(() => setInterval(() => {}, 1000));
};
