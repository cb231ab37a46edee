import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIBRARIES_OF_RUNS } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { parseJson } from '../skript-folder/manifest.js';
import { OWN_FOLDER } from '../skript-folder/names.js';
import { refuseLinksOut } from '../skript-folder/own-files.js';
import type { Output } from '../terminal/output.js';
import { bundleFile, readSources } from './bundle.js';
import { isThere } from './is-there.js';
import { bundlePath, runNode, type TestEnd } from './node-test.js';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The build writes these: @trawl/testing, and the libraries that every run has. */
const TESTING = join(HERE, 'testing');
const LIBRARIES = join(HERE, 'runtime', 'node_modules');

const TESTING_LIBRARY = '@trawl/testing';
const TEST_FILE = /\.test\.[cm]?[jt]sx?$/;
/** Age from which a folder of bundles is one that a killed program has left. */
const LEFT_MS = 86_400_000;

/** Whether a skript has a test whose path contains one of the texts; any test if there are no texts. */
export async function hasTests(folder: string, named: readonly string[]): Promise<boolean> {
  return testsAmong((await readSources(folder)).files, named).length > 0;
}

const testsAmong = (files: Map<string, string>, named: readonly string[]): string[] =>
  [...files.keys()]
    .filter(name => TEST_FILE.test(name))
    .filter(name => named.length === 0 || named.some(text => name.includes(text)));

/**
 * Runs the tests of a skript with `node --test`, each file bundled as a skript is. The bundles are in a folder of
 * `.trawl` until the tests have ended.
 *
 * @param named texts of which a file's path must contain one; none for all files
 * @param pattern regular expression for names of tests
 */
export async function runTests(
  folder: string,
  named: readonly string[],
  pattern: string | undefined,
  output: Output,
): Promise<TestEnd> {
  if (pattern !== undefined) checkPattern(pattern);
  await refuseLinksOut(folder, [OWN_FOLDER, 'node_modules']);
  const sources = await readSources(folder);
  const files = testsAmong(sources.files, named);
  if (files.length === 0) {
    const wanted = named.length > 0 ? `whose name contains ${named.join(' or ')}` : 'of a test';
    throw new Failure(`${folder} has no file ${wanted}. Tests are in files such as main.test.js.`, EXIT.notFound);
  }
  await mkdir(join(folder, OWN_FOLDER), { recursive: true });
  await deleteLeft(join(folder, OWN_FOLDER));
  const place = await mkdtemp(join(folder, OWN_FOLDER, 'test-'));
  try {
    await linkLibraries(folder, join(place, 'node_modules'));
    const libraries = [TESTING_LIBRARY, ...(await installedForTests(folder))];
    for (const [index, file] of files.entries()) {
      const { code } = await bundleFile(sources, file, `The test ${file}`, libraries);
      await writeTest(code, join(folder, file), folder, bundlePath(place, index));
    }
    return await runNode(files, { folder, place, pattern, output });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Makes the libraries of a run available beside the bundles, except those that the skript has installed itself. */
async function linkLibraries(folder: string, place: string): Promise<void> {
  const link = async (name: string, target: string) => {
    if (await isThere(join(folder, 'node_modules', name))) return;
    await mkdir(dirname(join(place, name)), { recursive: true });
    await symlink(target, join(place, name), 'junction');
  };
  await link(TESTING_LIBRARY, TESTING);
  for (const name of LIBRARIES_OF_RUNS) await link(name, join(LIBRARIES, name));
}

/** Returns the installed `devDependencies` of the skript's package.json. */
async function installedForTests(folder: string): Promise<string[]> {
  const path = join(folder, 'package.json');
  if (!(await isThere(path))) return [];
  const { devDependencies } = (parseJson(await readFile(path, 'utf8'), path) ?? {}) as { devDependencies?: object };
  const installed: string[] = [];
  for (const name of Object.keys(devDependencies ?? {}))
    if (await isThere(join(folder, 'node_modules', name))) installed.push(name);
  return installed;
}

async function writeTest(code: string, test: string, folder: string, path: string): Promise<void> {
  const helper = join(TESTING, 'test-module.js');
  const names = [test, folder].map(name => JSON.stringify(name)).join(', ');
  const prefix = `var { require, __trawl_file, __filename, __dirname } = require(${JSON.stringify(helper)}).testModule(require, __filename, ${names}); `;
  // On the first line, so that the source map stays right. A directive must stay before all other code.
  const [directive = ''] = /^"use strict";/.exec(code) ?? [];
  await writeFile(path, directive + prefix + code.slice(directive.length));
}

/** Deletes the bundles of programs that somebody has killed. */
async function deleteLeft(ownFolder: string): Promise<void> {
  for (const name of await readdir(ownFolder)) {
    const path = join(ownFolder, name);
    // Another `trawl test` may delete it at the same time.
    const changedAt = name.startsWith('test-')
      ? await stat(path).then(
          found => found.mtimeMs,
          () => null,
        )
      : null;
    if (changedAt !== null && Date.now() - changedAt > LEFT_MS) await rm(path, { recursive: true, force: true });
  }
}

/** @throws {Failure} unless the pattern is a regular expression: `price`, or `/price/i` as Node reads it */
function checkPattern(pattern: string): void {
  const [, text = pattern, flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(pattern) ?? [];
  try {
    new RegExp(text, flags);
  } catch (error) {
    const { message } = error as Error;
    throw new Failure(`--name must be a regular expression; you gave ${pattern}. ${message}.`, EXIT.usage);
  }
}
