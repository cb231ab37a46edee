import { type ChildProcess, spawn } from 'node:child_process';

/** Ends at once when the pipe of its stdin closes, and then kills the process group $0. */
const GUARD = 'read _; kill -s KILL -- "-$0"';

/**
 * Starts a shell that kills a process group if this program is killed. A skript in an endless loop would not notice the
 * end of this program otherwise. The caller kills the shell when the group has ended.
 */
export function guardGroup(pid: number): ChildProcess {
  // In a process group of its own, Ctrl-C does not reach it.
  const guard = spawn('/bin/sh', ['-c', GUARD, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell, everything but the guarded case works.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  return guard;
}
