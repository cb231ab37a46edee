// Says things without end, faster than anyone can read.
// What is kept has a size; the worker goes on with the others.
// ends: echo_limit | time_limit
// time: 2500
module.exports = () => {
  const text = 'x'.repeat(1_000);
  for (;;) console.log(text);
};
