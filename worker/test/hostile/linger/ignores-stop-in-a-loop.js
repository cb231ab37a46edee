// Calculates for ever and hears nothing.
// ends: stop
// stop: up
module.exports = () => {
  console.log('up');
  for (;;);
};
