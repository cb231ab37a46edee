// Changes the prototypes that the runner uses.
// It harms only its own run, which ends in one of the usual ways.
// ends: end "mine" | exception | process_ended | time_limit | output_not_json
// time: 2000
module.exports = async () => {
  const evil = () => {
    throw new Error('poisoned');
  };
  for (const name of ['push', 'join', 'map', 'filter', 'some', 'includes', 'slice', 'shift'])
    Array.prototype[name] = evil;
  for (const name of ['slice', 'split', 'replace', 'startsWith', 'endsWith', 'charCodeAt'])
    String.prototype[name] = evil;
  for (const name of ['get', 'set', 'has', 'delete', 'forEach']) Map.prototype[name] = evil;
  Function.prototype.call = evil;
  Function.prototype.apply = evil;
  Function.prototype.bind = evil;
  Object.defineProperty(Object.prototype, 't', { set: evil, get: () => 'settled', configurable: true });
  Object.defineProperty(Object.prototype, 'output', { get: () => '"forged"', set() {}, configurable: true });
  return 'mine';
};
