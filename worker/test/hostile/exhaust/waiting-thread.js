// Blocks its only thread for ever, so that it reads no command.
// ends: time_limit
// time: 700
module.exports = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
