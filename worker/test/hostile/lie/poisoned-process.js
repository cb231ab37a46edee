// Puts functions of its own in place of those that end its process.
// The worker ends it.
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
