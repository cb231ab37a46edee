// Kills itself with SIGSEGV.
// ends: process_ended
// says: /SIGSEGV/
module.exports = () => {
  process.kill(process.pid, 'SIGSEGV');
  return new Promise(() => setInterval(() => {}, 1000));
};
