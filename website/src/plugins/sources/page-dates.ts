import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { VcsConfig } from '@docusaurus/types';

const WEBSITE = join(__dirname, '../../..');
const MAX_OUTPUT = 50_000_000;

/** Returns true if git and the history are available. Pages need both to show the date of their last change. */
export function hasHistory(): boolean {
  try {
    execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: __dirname, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Reads the dates of the docs pages from their history. Docusaurus would read that of all files of the repository. */
export function pageDates(): VcsConfig {
  let dates: Map<string, number> | undefined;
  return {
    initialize: _ => {},
    getFileCreationInfo: async _ => null,
    async getFileLastUpdateInfo(file) {
      dates ??= lastChanges();
      const timestamp = dates.get(file);
      return timestamp === undefined ? null : { timestamp, author: '' };
    },
  };
}

/** Maps each file to the time of its last commit. */
function lastChanges(): Map<string, number> {
  const options = ['log', '--format=:%ct', '--name-only', '--relative', '--no-renames', '--', 'docs'];
  const log = execFileSync('git', options, { cwd: WEBSITE, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  const dates = new Map<string, number>();
  let timestamp = 0;
  for (const line of log.split('\n')) {
    if (line.startsWith(':')) timestamp = Number(line.slice(1)) * 1000;
    else if (line && !dates.has(join(WEBSITE, line))) dates.set(join(WEBSITE, line), timestamp);
  }
  return dates;
}
