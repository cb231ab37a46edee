// Returns a thenable that resolves with another thenable, for ever.
// ends: time_limit
// time: 700
// biome-ignore lint/suspicious/noThenProperty: this is the attack
const endless = () => ({ then: resolve => resolve(endless()) });

module.exports = () => endless();
