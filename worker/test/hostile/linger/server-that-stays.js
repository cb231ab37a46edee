// Leaves programs that listen on ports and Unix sockets.
// They end with the run.
// ends: end "listening"
const { spawn } = require('node:child_process');
const { once } = require('node:events');

module.exports = async () => {
  const server = 'require("node:net").createServer().listen(0, "0.0.0.0", () => console.log("up"))';
  const child = spawn(process.execPath, ['-e', server], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  require('node:net').createServer().listen(0);
  return 'listening';
};
