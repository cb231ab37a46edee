// Stops its own process where it stands.
// Its time runs out all the same.
// ends: time_limit
// time: 700
module.exports = () => {
  process.kill(process.pid, 'SIGSTOP');
  return new Promise(() => setInterval(() => {}, 1000));
};
