// Kills itself with SIGQUIT.
// ends: process_ended
// says: /SIGQUIT/
module.exports = () => {
  process.kill(process.pid, 'SIGQUIT');
  return new Promise(() => setInterval(() => {}, 1000));
};
