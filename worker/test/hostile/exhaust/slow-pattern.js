// Has a pattern matched that takes longer than the world will last.
// ends: time_limit
// time: 700
module.exports = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`);
