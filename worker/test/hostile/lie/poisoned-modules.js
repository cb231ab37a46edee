// Loads the runner again and internal modules of Node, and changes what require returns.
// A second runner affects only its own process.
// ends: end "mine" | exception | process_ended | time_limit
// time: 2000
const Module = require('node:module');

module.exports = () => {
  for (const name of ['spawn_sync', 'process_wrap', 'tcp_wrap', 'fs', 'natives', 'contextify', 'inspector', 'worker']) {
    try {
      process.binding(name);
    } catch {
      // Not available.
    }
  }
  Module._load = () => ({});
  Module.prototype.require = () => ({});
  Module._extensions['.js'] = () => {};
  return 'mine';
};
