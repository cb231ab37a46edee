// Makes a sparse file of a petabyte, and reads all of it.
// The file takes no disk space, and the memory limit bounds what is read.
// ends: end "EFBIG" | end "made" | disk_limit
const { ftruncateSync, openSync, statSync } = require('node:fs');

module.exports = () => {
  try {
    const fd = openSync('holes', 'w');
    ftruncateSync(fd, 2 ** 50);
    return statSync('holes').size === 2 ** 50 ? 'made' : 'smaller';
  } catch (error) {
    return error.code;
  }
};
