// @ts-check
// Part of `npm run lint`: every path and npm script that a document names must exist, and also every path that a
// comment names. Records of decisions must have a date, a status and a link.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot, ROOT } from '../common/paths.mjs';
import { decisionProblems } from './decisions.mjs';

/** Top-level folders. If inline code in a document begins with one of these names, it is a path. */
const ROOMS = ['backend', 'bench', 'docs', 'e2e', 'examples', 'packages', 'panel', 'scripts', 'website', 'worker'];
const CODE_SPAN = new RegExp(`\`((?:${ROOMS.join('|')})/[\\w./@-]*)\``, 'g');
const COMMENT = /^\s*(?:\/\/|\/?\*).*/gm;
const PATH_IN_COMMENT = new RegExp(`(?<![\\w./@-])(?:${ROOMS.join('|')})/[\\w./-]*\\w`, 'g');
const LINK = /\]\((?!https?:|pathname:|#|\/)([^)#\s]+)(?:#[^)]*)?\)/g;
const SCRIPT = /\bnpm (?:run ([\w:-]+)|(start|test))(\s+-w\s+(\S+))?/g;

/** @param {string[]} patterns */
const filesLike = (...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(file => file && !file.includes('testdata') && existsSync(fromRoot(file)));
const documents = filesLike('*.md', '*.mdx');

/**
 * Whether a path exists, or will when everything is built. This check runs beside builds.
 * @param {string[]} path
 */
const isThere = (...path) =>
  existsSync(fromRoot(...path)) ||
  spawnSync('git', ['check-ignore', '--quiet', join(...path, 'file')], { cwd: ROOT }).status === 0;

/** @type {(manifest: string) => Record<string, string>} */
const scriptsOf = manifest => JSON.parse(readFileSync(fromRoot(manifest), 'utf8')).scripts ?? {};
const rootScripts = scriptsOf('package.json');

/** @type {string[]} */
const problems = decisionProblems();
for (const file of documents) {
  const text = readFileSync(fromRoot(file), 'utf8');
  for (const [, path = ''] of text.matchAll(CODE_SPAN)) {
    if (!isThere(path)) problems.push(`${file} names \`${path}\`, which does not exist.`);
  }
  for (const [, path = ''] of text.matchAll(LINK)) {
    if (!isThere(dirname(file), path)) problems.push(`${file} links to ${path}, which does not exist.`);
  }
  for (const [command, script, short, inRoom] of text.matchAll(SCRIPT)) {
    const name = script ?? short ?? '';
    if (!inRoom && !(name in rootScripts))
      problems.push(`${file} names "${command}", but package.json has no such script.`);
  }
}
for (const file of filesLike('*.ts', '*.tsx', '*.mjs', '*.cjs', '*.js')) {
  const [room = ''] = file.split('/');
  for (const [comment] of readFileSync(fromRoot(file), 'utf8').matchAll(COMMENT)) {
    for (const [path] of comment.matchAll(PATH_IN_COMMENT)) {
      // A path may also be relative to the top-level folder of the file with the comment.
      if (!isThere(path) && !isThere(room, path))
        problems.push(`${file} names ${path} in a comment, which does not exist.`);
    }
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`All paths and scripts exist that ${documents.length} documents and the comments name.`);
