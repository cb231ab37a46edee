// Returns an object with a getter that never returns.
// ends: time_limit
// time: 700
module.exports = () => ({
  get price() {
    for (;;);
  },
});
