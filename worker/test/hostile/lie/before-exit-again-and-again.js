// Has nothing left to wait for, and schedules something new each time.
// ends: promise_never_settled
module.exports = () => {
  process.prependListener('beforeExit', () => setTimeout(() => {}, 1));
  return new Promise(() => {});
};
