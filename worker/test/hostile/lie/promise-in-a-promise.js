// Returns something like a promise that is kept with another of its kind, without end.
// ends: time_limit
// time: 700
// biome-ignore lint/suspicious/noThenProperty: that is what it tries
const endless = () => ({ then: resolve => resolve(endless()) });

module.exports = () => endless();
