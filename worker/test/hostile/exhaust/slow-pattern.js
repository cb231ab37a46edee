// Matches a regular expression that takes practically for ever.
// ends: time_limit
// time: 700
module.exports = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`);
