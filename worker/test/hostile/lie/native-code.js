// Has Node load a file as native code that is none, and V8 run what is not for users.
// It ends by that or by an error.
// ends: exception | process_ended
const { writeFileSync } = require('node:fs');

module.exports = () => {
  writeFileSync('evil.node', Buffer.alloc(4096, 0x7f));
  try {
    process.dlopen({ exports: {} }, `${process.cwd()}/evil.node`);
  } catch {
    // Refused; then so:
  }
  require('node:v8').setFlagsFromString('--allow-natives-syntax');
  return new Function('%SystemBreak();')();
};
