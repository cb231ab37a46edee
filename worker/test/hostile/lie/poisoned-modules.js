// Loads the runner a second time, and modules of Node's insides, and changes what require gives.
// A second runner in its process is its own matter.
// ends: end "mine" | exception | process_ended | time_limit
// time: 2000
const Module = require('node:module');

module.exports = () => {
  for (const name of ['spawn_sync', 'process_wrap', 'tcp_wrap', 'fs', 'natives', 'contextify', 'inspector', 'worker']) {
    try {
      process.binding(name);
    } catch {
      // Not given.
    }
  }
  Module._load = () => ({});
  Module.prototype.require = () => ({});
  Module._extensions['.js'] = () => {};
  return 'mine';
};
