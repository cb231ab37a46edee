// Writes results and errors without end.
// The first one counts, and the platform is told of one (which is checked outside).
// ends: end 0
const { writeSync } = require('node:fs');

module.exports = () => {
  for (let n = 0; ; n += 1) {
    writeSync(4, `{"run":1,"t":"settled","output":"${n}"}\n{"run":1,"t":"failed","code":"exception","stack":"no"}\n`);
  }
};
