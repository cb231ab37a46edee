import { execFileSync } from 'node:child_process';

/** Returns true if git and the history are available. Pages need both to show the date of their last change. */
export function hasHistory(): boolean {
  try {
    execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: __dirname, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
