// @ts-check
// `npm run dependencies:browser` asks npm whether it has a newer Chromium than the one that workers fall back to. It fails
// only when that one is old and npm has a newer one, because nobody can mend anything else.
import { execFileSync } from 'node:child_process';
import { npm } from '../common/tasks.mjs';
import { oldBrowser, PACKAGE, pinnedVersion } from './browser-age.mjs';

const pinned = pinnedVersion();
const newest = execFileSync(...npm('view', PACKAGE, 'version'), { encoding: 'utf8' }).trim();
const problem = await oldBrowser(pinned);
const isNewest = Number.parseInt(newest, 10) <= Number.parseInt(pinned, 10);
if (problem === null) console.log(`${PACKAGE} ${pinned} is not old. npm has ${newest}.`);
else if (isNewest) console.log(`::warning::${problem} npm has no newer one.`);
else {
  console.error(`${problem} npm has ${newest}: set it in the workspaces worker, website, e2e and bench.`);
  process.exitCode = 1;
}
