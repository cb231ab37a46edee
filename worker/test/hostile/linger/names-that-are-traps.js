// Leaves files with difficult names: line breaks, options, quotes, invalid UTF-8, maximum length.
// ends: end "named"
const { mkdirSync, writeFileSync } = require('node:fs');

module.exports = () => {
  const names = [
    'a\nb',
    '-rf',
    '--no-preserve-root',
    '$(reboot)',
    "'; rm -rf .; '",
    '..\\..',
    '\x1b[2J',
    ' ',
    '…',
    'x'.repeat(255),
    '\u202egpj.exe',
    'CON',
    '*',
    '~',
    'process.json',
    'echoes.csv',
    'journal.jsonl',
  ];
  for (const name of names) writeFileSync(name, 'x');
  writeFileSync(Buffer.from([0xff, 0xfe, 0x80]), 'x');
  mkdirSync('journal');
  return 'named';
};
