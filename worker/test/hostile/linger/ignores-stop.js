// Ignores the stop event.
// ends: stop
// stop: up
module.exports = () => {
  global.trawl.eventEmitter.on('ff-stop', () => console.log('no'));
  console.log('up');
  return new Promise(() => setInterval(() => {}, 1000));
};
