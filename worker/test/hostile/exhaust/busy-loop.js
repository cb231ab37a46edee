// Calculates for ever without yielding.
// ends: time_limit
// says: /calculating, or in a loop/
// time: 700
module.exports = () => {
  for (;;);
};
