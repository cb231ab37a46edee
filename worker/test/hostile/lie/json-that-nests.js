// Writes JSON that is slow to parse or deeply nested: brackets, keys, numbers, escapes, names of prototypes.
// The worker parses it in bounded time and without side effects.
// ends: end "after"
const { writeSync } = require('node:fs');

const write = text => {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(4, bytes, at);
};

module.exports = () => {
  write('['.repeat(3_000_000));
  write('{"a":'.repeat(500_000));
  write(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  write(`{"run":1,"t":"echoes","items":${'[['.repeat(2_000)}${']]'.repeat(2_000)}}`);
  write(`[${'1e309,'.repeat(300_000)}1]`);
  write(`"${'\\u0000'.repeat(500_000)}"`);
  write('{"__proto__":{"run":1,"t":"settled"},"constructor":{"prototype":{"polluted":1}}}');
  write('{"run":1,"t":"place","text":{"__proto__":{"polluted":1}}}');
  write('{"run":1,"t":"storage","call":1,"op":{"__proto__":{"polluted":1}}}');
  return 'after';
};
