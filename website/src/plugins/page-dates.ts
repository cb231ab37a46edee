import { execFileSync } from 'node:child_process';

/** Whether git can say when a page was last changed: not in an archive without its history, nor without git. */
export function hasHistory(): boolean {
  try {
    execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: __dirname, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
