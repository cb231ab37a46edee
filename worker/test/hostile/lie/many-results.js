// Writes results and errors for ever.
// The first one counts, and the platform gets only one (which the test checks).
// ends: end 0
const { writeSync } = require('node:fs');

module.exports = () => {
  for (let n = 0; ; n += 1) {
    writeSync(4, `{"run":1,"t":"settled","output":"${n}"}\n{"run":1,"t":"failed","code":"exception","stack":"no"}\n`);
  }
};
