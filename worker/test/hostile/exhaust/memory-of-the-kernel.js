// Fills buffers of the kernel, by writing into pipes and sockets that nobody reads.
// They count as the run's memory, or the limit of open files bounds them.
// ends: file_limit | memory_limit | process_limit | time_limit
// time: 4000
const { createServer, connect } = require('node:net');
const { spawn } = require('node:child_process');

module.exports = () => {
  const bytes = Buffer.alloc(1_000_000, 1);
  const more = () => {
    const { stdin } = spawn('sleep', ['1000'], { stdio: ['pipe', 'ignore', 'ignore'] }).on('error', () => {});
    stdin?.on('error', () => {}).write(bytes);
    const server = createServer(socket => socket.pause()).on('error', () => {});
    server.listen(0, () =>
      connect(server.address().port)
        .on('error', () => {})
        .write(bytes),
    );
    setTimeout(more, 1);
  };
  more();
  return new Promise(() => {});
};
