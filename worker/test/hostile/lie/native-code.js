// Makes Node load an invalid native module, and calls internal functions of V8.
// It ends with a crash or an error.
// ends: exception | process_ended
const { writeFileSync } = require('node:fs');

module.exports = () => {
  writeFileSync('evil.node', Buffer.alloc(4096, 0x7f));
  try {
    process.dlopen({ exports: {} }, `${process.cwd()}/evil.node`);
  } catch {
    // Refused; try another way:
  }
  require('node:v8').setFlagsFromString('--allow-natives-syntax');
  return new Function('%SystemBreak();')();
};
