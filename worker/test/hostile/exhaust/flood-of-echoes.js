// Echoes for ever, faster than anyone can read.
// The worker keeps a limited amount and serves other runs meanwhile.
// ends: echo_limit | time_limit
// time: 2500
module.exports = () => {
  const text = 'x'.repeat(1_000);
  for (;;) console.log(text);
};
