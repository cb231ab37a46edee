// Calculates for ever without giving way.
// ends: time_limit
// says: /calculating, or in a loop/
// time: 700
module.exports = () => {
  for (;;);
};
