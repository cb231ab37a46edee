// Throws an error whose properties are all traps, and formats stacks itself.
// The run ends with some text as the stack.
// ends: exception | process_ended
// time: 3000
module.exports = () => {
  Error.prepareStackTrace = () => {
    throw new Error('again');
  };
  Error.stackTraceLimit = 1e9;
  throw new Proxy(new Error('trap'), {
    get() {
      throw new Error('no property');
    },
    getPrototypeOf() {
      throw new Error('no prototype');
    },
    ownKeys() {
      throw new Error('no keys');
    },
  });
};
