// Lets its only thread wait for what never comes, so that it hears no command.
// ends: time_limit
// time: 700
module.exports = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
