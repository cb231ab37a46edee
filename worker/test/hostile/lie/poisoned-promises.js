// Replaces the functions of promises, timers and the microtask queue.
// It harms only its own run.
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
