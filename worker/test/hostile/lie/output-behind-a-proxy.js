// Returns an object that grows whenever it is read.
// ends: output_not_json | exception | memory_limit | time_limit
// time: 2000
const endless = () =>
  new Proxy(
    {},
    {
      ownKeys: () => ['a', 'b'],
      getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
      get: (_target, name) => (name === 'then' || name === 'toJSON' ? undefined : endless()),
    },
  );

module.exports = async () => ({ endless: endless() });
