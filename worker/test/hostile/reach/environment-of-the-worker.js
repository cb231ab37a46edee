// Reads the environment of the worker, which holds its key, and of every visible process.
// Only its own is visible, and contains nothing of the worker.
// ends: end []
const { readdirSync, readFileSync } = require('node:fs');
const got = require('../got.js');

const inEveryEnvironment = text =>
  readdirSync('/proc').some(pid => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });

module.exports = ({ worker }) =>
  got({
    'by its number': () => readFileSync(`/proc/${worker.pid}/environ`),
    'of its threads': () => readFileSync(`/proc/${worker.pid}/task/${worker.pid}/environ`),
    'of its parent': () => readFileSync(`/proc/${process.ppid}/environ`, 'utf8').includes('TRAWL_'),
    'a name in any': () => inEveryEnvironment('TRAWL_'),
    'the canary in any': () => inEveryEnvironment('canary-'),
    'in its own': () => Object.keys(process.env).some(name => /^(TRAWL|CANARY|NODE|npm|SSH|AWS)/.test(name)),
  });
