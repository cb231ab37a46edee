// Writes invalid UTF-8, lone surrogates, NULs, and other line endings.
// The worker drops them or shows a replacement character, and reads on.
// ends: end "after"
// echoes: /dropped/
const { writeSync } = require('node:fs');

module.exports = () => {
  for (const bytes of [
    [0xff, 0xfe, 0x0a],
    [0xc3, 0x28, 0x0a],
    [0xed, 0xa0, 0x80, 0x0a],
    [0, 0, 0, 0x0a],
    [0x0d, 0x0a],
    [0x0a, 0x0a],
  ]) {
    writeSync(4, Buffer.from(bytes));
  }
  const echo = Buffer.from('{"run":1,"t":"echoes","items":[["log","half ?","2026-01-01T00:00:00.000Z"]]}\n');
  echo[echo.indexOf('?')] = 0xf0;
  writeSync(4, echo);
  writeSync(4, Buffer.from('{"run":1,"t":"settled"\u2028,"output":"1"}\n\n', 'utf16le'));
  writeSync(4, '\n');
  return 'after';
};
