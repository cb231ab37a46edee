// Puts functions of its own in place of those of promises, timers and the queue.
// It harms its own run alone.
// ends: end "mine" | time_limit | promise_never_settled | exception | process_ended
// time: 1500
module.exports = async () => {
  for (const name of ['then', 'catch', 'finally']) Promise.prototype[name] = () => new Promise(() => {});
  globalThis.Promise = class {};
  for (const name of ['setTimeout', 'setImmediate', 'setInterval', 'queueMicrotask', 'clearImmediate'])
    globalThis[name] = () => {};
  process.nextTick = () => {};
  return 'mine';
};
