// @ts-check
// `npm run release:version`: gives all packages the version that the changesets ask for, and moves the changesets to
// CHANGELOG.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fromRoot, ROOT } from '../common/paths.mjs';
import { withRelease } from './changelog.mjs';

/** Pages that name the archive of a package with its version. */
const NAMING_ARCHIVES = [
  'packages/cli/README.md',
  'website/docs/libs/trawl-cli.mdx',
  'website/docs/tutorials/develop-skript.mdx',
];
const STATUS = 'node_modules/.cache/trawl-release.json';

/** @param {string} command @param {string[]} args */
const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' });
/** @param {string} file */
const json = file => JSON.parse(readFileSync(fromRoot(file), 'utf8'));

run('npx', 'changeset', 'status', `--output=${STATUS}`);
const { changesets, releases } = json(STATUS);
rmSync(fromRoot(STATUS));
if (changesets.length === 0) {
  console.error('There is nothing to release: .changeset has no changes. Add one with: npm run changeset');
  process.exit(1);
}
const { oldVersion, newVersion: version } = releases[0];
run('npx', 'changeset', 'version');
writeFileSync(fromRoot('package.json'), `${JSON.stringify({ ...json('package.json'), version }, null, 2)}\n`);
const day = new Date().toISOString().slice(0, 10);
const changelog = readFileSync(fromRoot('CHANGELOG.md'), 'utf8');
writeFileSync(fromRoot('CHANGELOG.md'), withRelease(changelog, { version, day, changesets }));
for (const file of NAMING_ARCHIVES) {
  const text = readFileSync(fromRoot(file), 'utf8');
  writeFileSync(fromRoot(file), text.replaceAll(`-${oldVersion}.tgz`, `-${version}.tgz`));
}
run('npm', 'install', '--package-lock-only', '--no-audit', '--no-fund');
run('npm', 'run', '--silent', 'generate');
console.log(`All packages have version ${version}. Review the changes, then commit and tag them: v${version}`);
