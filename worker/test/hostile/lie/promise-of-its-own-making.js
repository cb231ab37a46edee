// Returns a thenable that settles twice, throws, and settles again later.
// The first one counts.
// ends: end "first"
module.exports = () => ({
  // biome-ignore lint/suspicious/noThenProperty: this is the attack
  then(resolve, reject) {
    resolve('first');
    resolve('second');
    reject(new Error('third'));
    setImmediate(() => resolve('fourth'));
    throw new Error('fifth');
  },
});
