// Calculates for ever and reads no command.
// ends: stop
// stop: up
module.exports = () => {
  console.log('up');
  for (;;);
};
