// Replaces the functions that end its process.
// The worker kills it.
// ends: end "mine"
module.exports = () => {
  process.kill = () => true;
  process.exit = () => {};
  process.reallyExit = () => {};
  process.abort = () => {};
  process.on('exit', () => {
    for (;;);
  });
  setInterval(() => {}, 1000);
  return 'mine';
};
