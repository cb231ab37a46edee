// Leaves pipes, sockets, and files without permissions in its folders, some of them open.
// ends: end "left"
const { execFileSync } = require('node:child_process');
const { openSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');

module.exports = async () => {
  for (const folder of ['.', tmpdir()]) {
    execFileSync('mkfifo', [`${folder}/pipe`]);
    openSync(`${folder}/pipe`, 'r+');
    writeFileSync(`${folder}/none`, 'x', { mode: 0 });
    // The sandbox may refuse such sockets.
    await new Promise(resolve => createServer().once('error', resolve).listen(`${folder}/socket`, resolve));
  }
  return 'left';
};
