// Kills itself with SIGBUS.
// ends: process_ended
// says: /SIGBUS/
module.exports = () => {
  process.kill(process.pid, 'SIGBUS');
  return new Promise(() => setInterval(() => {}, 1000));
};
