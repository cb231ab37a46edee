// Sends a too large output, bypassing the check of the runner.
// ends: output_too_large
const { writeSync } = require('node:fs');

module.exports = () => {
  const line = Buffer.from(
    `${JSON.stringify({ run: 1, t: 'settled', output: JSON.stringify('x'.repeat(1_000_000)) })}\n`,
  );
  for (let written = 0; written < line.length; ) written += writeSync(4, line, written);
  return new Promise(() => setInterval(() => {}, 1000));
};
