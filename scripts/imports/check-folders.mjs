// @ts-check
// Part of `npm run lint`: a folder has at most 15 files besides tests, so that a reader sees at a glance what is in it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromRoot, ROOT } from '../common/paths.mjs';

const MAX_FILES = 15;

/**
 * These folders may have more files, because they have one file for each thing of the same kind. The patterns also
 * match all folders below them.
 */
const LISTS = [
  /^\.$/, // tools look for their settings here
  /^\.changeset$/, // one for each change; its tool reads no folders
  /^docs\/decisions$/,
  /^website\/(docs|src\/pages|static)\//,
  /^backend\/src\/platform\/database\/migrations$/, // one for each change of the tables
  /^backend\/test\/routes$/, // one for each noun of the API
  /^worker\/test\/hostile\//, // one for each attack
];

/** @type {Map<string, number>} */
const sizes = new Map();
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
for (const file of files.split('\n')) {
  if (!file || /\.test\.tsx?$/.test(file) || !existsSync(fromRoot(file))) continue;
  sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
}
const tooLarge = [...sizes].filter(([folder, size]) => size > MAX_FILES && !LISTS.some(list => list.test(folder)));
for (const [folder, size] of tooLarge)
  console.error(
    `${folder} has ${size} files; the limit is ${MAX_FILES}. Move those that belong together into a folder.`,
  );
if (tooLarge.length > 0) process.exitCode = 1;
else console.log(`No folder has more than ${MAX_FILES} files.`);
