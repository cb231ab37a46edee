// Opens listening sockets and pipes for ever, and ignores errors.
// ends: file_limit | time_limit | memory_limit
// time: 4000
const { createServer } = require('node:net');

module.exports = () => {
  const more = () => {
    for (let n = 0; n < 50; n += 1)
      createServer()
        .on('error', () => {})
        .listen(0);
    setTimeout(more, 1);
  };
  more();
  return new Promise(() => {});
};
