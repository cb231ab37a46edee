// Replaces all event listeners with its own.
// A stop still ends it.
// ends: stop
// stop: up
const { EventEmitter } = require('node:events');

module.exports = () => {
  console.log('up');
  global.trawl.eventEmitter.removeAllListeners();
  global.trawl.eventEmitter.emit = () => true;
  EventEmitter.prototype.emit = () => true;
  EventEmitter.prototype.on = () => {};
  process.removeAllListeners();
  for (const handle of process._getActiveHandles()) handle.removeAllListeners?.();
  for (;;);
};
