// Blocks the exit of its process in an exit handler.
// ends: time_limit
// time: 700
module.exports = () => {
  process.on('exit', () => {
    for (;;);
  });
  process.on('beforeExit', () => {
    for (;;);
  });
  process.exit(1);
};
