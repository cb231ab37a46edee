// Throws an error whose stack is a function that never returns.
// ends: time_limit
// time: 700
module.exports = () => {
  throw Object.defineProperty(new Error('trap'), 'stack', {
    get() {
      for (;;);
    },
  });
};
