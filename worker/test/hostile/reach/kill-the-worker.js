// Signals the worker, its parent, the first process, and others by pid.
// No such process is visible, or it may not signal it.
// ends: end []
const { execFileSync } = require('node:child_process');
const got = require('../got.js');

const kills =
  (pid, signal = 'SIGKILL') =>
  () =>
    process.kill(pid, signal);

module.exports = ({ worker }) =>
  got({
    'the worker': kills(worker.pid),
    'its group': kills(-worker.pid),
    'stopping it': kills(worker.pid, 'SIGSTOP'),
    'asking it to end': kills(worker.pid, 'SIGTERM'),
    'opening its inspector': kills(worker.pid, 'SIGUSR1'),
    'by a program': () => execFileSync('sh', ['-c', `kill -9 ${worker.pid}`], { stdio: 'ignore' }),
    'its priority': () => require('node:os').setPriority(worker.pid, 19),
    'by its file': () => require('node:fs').writeFileSync(`/proc/${worker.pid}/oom_score_adj`, '1000'),
  });
