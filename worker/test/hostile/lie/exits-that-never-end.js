// Listens for its own end and does not let it come.
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
