// Removes or replaces the globals that the runner uses.
// It harms only its own run.
// ends: end "mine" | exception | process_ended | time_limit | promise_never_settled
// time: 2000
module.exports = async () => {
  for (const name of [
    'JSON',
    'Buffer',
    'process',
    'Error',
    'Object',
    'Array',
    'Map',
    'String',
    'Number',
    'trawl',
    'Reflect',
  ]) {
    try {
      delete globalThis[name];
      Object.defineProperty(globalThis, name, {
        get() {
          throw new Error('gone');
        },
      });
    } catch {
      // Not writable.
    }
  }
  return 'mine';
};
