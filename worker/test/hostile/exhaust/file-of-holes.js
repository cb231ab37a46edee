// Makes a file of a petabyte that takes no room, and asks for all of it.
// What takes no room is no one's loss; what is read of it is bounded by memory.
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
