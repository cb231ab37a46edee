import { spawn } from 'node:child_process';

/**
 * Signals everything of a user. The kernel does it in one step, during which nothing new can be started, but only for
 * who asks as that user: as another it would take other processes, as root all of the machine's. False when it was not
 * done, as when what was to be killed was faster and killed the one that asks.
 */
export function signalUser(uid: number, signal: 'KILL' | 'STOP'): Promise<boolean> {
  if (!(uid > 0)) throw new Error(`user ${uid} is not one of a run's`);
  return new Promise(resolve => {
    const child = spawn('/bin/sh', ['-c', `kill -${signal} -1`], { uid, gid: uid, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', code => resolve(code === 0));
  });
}
