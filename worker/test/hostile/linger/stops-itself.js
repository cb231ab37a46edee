// Stops (SIGSTOP) its own process.
// The time limit still ends it.
// ends: time_limit
// time: 700
module.exports = () => {
  process.kill(process.pid, 'SIGSTOP');
  return new Promise(() => setInterval(() => {}, 1000));
};
