// Kills itself with SIGKILL.
// ends: process_ended
// says: /SIGKILL/
module.exports = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => setInterval(() => {}, 1000));
};
