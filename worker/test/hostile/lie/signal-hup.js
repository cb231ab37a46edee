// Kills itself with SIGHUP.
// ends: process_ended
// says: /SIGHUP/
module.exports = () => {
  process.kill(process.pid, 'SIGHUP');
  return new Promise(() => setInterval(() => {}, 1000));
};
