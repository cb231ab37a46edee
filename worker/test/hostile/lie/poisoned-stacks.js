// Throws an error whose every property is a trap, with a way to write stacks of its own.
// What is said of it is a text; the run ends.
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
