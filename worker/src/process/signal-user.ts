import { spawn } from 'node:child_process';

/**
 * Sends a signal to all processes of a user id with a single system call, during which none of them can start another
 * process. A child process with that user id makes the call, because from root it would reach all processes of the
 * machine.
 *
 * @returns false if this failed, for example because the run killed the child process first
 */
export function signalUser(uid: number, signal: 'KILL' | 'STOP'): Promise<boolean> {
  if (!(uid > 0)) throw new Error(`${uid} is not the user id of a run`);
  return new Promise(resolve => {
    const child = spawn('/bin/sh', ['-c', `kill -${signal} -1`], { uid, gid: uid, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', code => resolve(code === 0));
  });
}
