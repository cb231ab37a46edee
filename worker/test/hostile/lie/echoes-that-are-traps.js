// Echoes values that throw, change or never end when they are read.
// ends: end "said" | exception
const { echo } = require('@trawl/echo');

module.exports = () => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
      ownKeys() {
        throw new Error('no');
      },
    },
  );
  const values = [
    trap,
    Symbol('x'),
    Object.create(null),
    10n,
    () => {},
    { toString: 1 },
    {
      toJSON() {
        throw new Error('no');
      },
    },
  ];
  for (const value of values) {
    for (const say of ['log', 'warn', 'error', 'objekt', 'image']) {
      try {
        echo[say]?.(value);
      } catch {
        // An error of the value itself.
      }
    }
    global.trawl.eventEmitter.emit('echo', { type: 'log', msg: String(typeof value), time: 'never' });
  }
  global.trawl.eventEmitter.emit('echo', null);
  return 'said';
};
