// Answers commands of the worker before they come, with wrong types or endless texts.
// ends: time_limit
// time: 1000
const { writeSync } = require('node:fs');

module.exports = () => {
  const text = 'x'.repeat(100_000);
  for (;;) {
    writeSync(
      4,
      `${JSON.stringify({ run: 1, t: 'place', text })}\n{"run":1,"t":"place","text":{"toString":1}}\n{"run":1,"t":"exiting","stack":[1]}\n`,
    );
  }
};
