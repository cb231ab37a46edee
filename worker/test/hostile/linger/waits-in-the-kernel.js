// Starts programs that wait where signals do not reach them at once: for a named pipe, for a vfork child without exec.
// ends: end "waiting"
const { execFileSync, spawn } = require('node:child_process');

module.exports = () => {
  execFileSync('mkfifo', ['pipe']);
  spawn('sh', ['-c', 'cat < pipe'], { detached: true, stdio: 'ignore' });
  // vfork: the parent waits until its child calls exec.
  const number = process.arch === 'arm64' ? 0 : 58;
  if (number)
    spawn('perl', ['-e', `syscall(${number}) or sleep 1000; sleep 1000`], { detached: true, stdio: 'ignore' });
  return 'waiting';
};
