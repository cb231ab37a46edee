import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIBRARIES_OF_RUNS } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { OWN_FOLDER } from '../skript-folder/names.js';
import { refuseLinksOut } from '../skript-folder/own-files.js';
import type { Output } from '../terminal/output.js';
import { bundleFile, readSources, type Sources } from './bundle.js';
import { isThere } from './is-there.js';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The build writes these: @trawl/testing, and the libraries that every run has. */
const TESTING = join(HERE, 'testing');
const LIBRARIES = join(HERE, 'runtime', 'node_modules');

const TESTING_LIBRARY = '@trawl/testing';
const TEST_FILE = /\.test\.[cm]?[jt]sx?$/;

/** A test as `--json` shows it. */
export interface ReportedTest {
  name: string;
  /** Path in the skript's folder. */
  file: string;
  state: 'passed' | 'failed' | 'skipped';
  error?: string;
}

export interface TestEnd {
  code: number | null;
  /** The person has ended the tests with Ctrl-C. */
  isStopped: boolean;
  /** Only with `--json`. */
  tests?: ReportedTest[];
}

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
  await refuseLinksOut(folder, [OWN_FOLDER, 'node_modules']);
  const sources = await readSources(folder);
  const files = [...sources.files.keys()]
    .filter(name => TEST_FILE.test(name))
    .filter(name => named.length === 0 || named.some(text => name.includes(text)));
  if (files.length === 0) {
    const wanted = named.length > 0 ? `whose name contains ${named.join(' or ')}` : 'of a test';
    throw new Failure(`${folder} has no file ${wanted}. Tests are in files such as main.test.js.`, EXIT.notFound);
  }
  await mkdir(join(folder, OWN_FOLDER), { recursive: true });
  const place = await mkdtemp(join(folder, OWN_FOLDER, 'test-'));
  try {
    await linkLibraries(folder, join(place, 'node_modules'));
    const bundles = [];
    for (const file of files) bundles.push(await writeTest(sources, file, place));
    return await runNode(bundles, { folder, place, pattern, output });
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

async function writeTest(sources: Sources, file: string, place: string): Promise<string> {
  const { code } = await bundleFile(sources, file, `The test ${file}`, [TESTING_LIBRARY]);
  const path = join(place, `${file}.cjs`);
  await mkdir(dirname(path), { recursive: true });
  const [helper, test, folder] = [join(TESTING, 'test-module.js'), join(sources.folder, file), sources.folder];
  const names = [test, folder].map(name => JSON.stringify(name)).join(', ');
  const prefix = `var { require, __trawl_file, __filename, __dirname } = require(${JSON.stringify(helper)}).testModule(require, __filename, ${names}); `;
  // On the first line, so that the source map stays right. A directive must stay before all other code.
  const [directive = ''] = /^"use strict";/.exec(code) ?? [];
  await writeFile(path, directive + prefix + code.slice(directive.length));
  return path;
}

interface NodeOptions {
  folder: string;
  place: string;
  pattern: string | undefined;
  output: Output;
}

async function runNode(bundles: string[], { folder, place, pattern, output }: NodeOptions): Promise<TestEnd> {
  const reporter = output.isJson ? join(TESTING, 'json-reporter.js') : 'spec';
  const args = ['--enable-source-maps', '--test', `--test-reporter=${reporter}`, '--test-reporter-destination=stdout'];
  if (pattern !== undefined) args.push(`--test-name-pattern=${pattern}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // For `createRequire`, which looks for libraries beside the skript's own files.
  env.NODE_PATH = join(place, 'node_modules');
  if (output.stdout.isTTY) env.FORCE_COLOR ??= '1';
  const child = spawn(process.execPath, [...args, ...bundles], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    child.kill('SIGINT');
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let json = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.isJson) json += text;
    else output.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.stderr.write(text));
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (!output.isJson || isStopped) return { code, isStopped };
  return { code, isStopped, tests: (JSON.parse(json) as ReportedTest[]).flatMap(test => named(test, place, folder)) };
}

/** Names the file of a test by its path in the skript's folder. */
function named({ name, state, ...test }: ReportedTest, place: string, folder: string): ReportedTest[] {
  const file = nameOf(test.file, place, folder);
  if (!name.startsWith(place)) return [{ ...test, name, file, state }];
  // Node reports a file that fails by itself, and one without tests, as a test with the file's path.
  return state === 'failed' ? [{ ...test, name: file, file, state }] : [];
}

/** Returns the name of a test's file. Node 20 reports the bundle, newer versions the file itself. */
function nameOf(reported: string, place: string, folder: string): string {
  const isBundle = reported.startsWith(place + sep);
  const name = isBundle ? relative(place, reported).replace(/\.cjs$/, '') : relative(folder, reported);
  return name.split(sep).join('/');
}
