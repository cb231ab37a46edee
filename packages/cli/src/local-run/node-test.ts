import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.js';
import type { Output } from '../terminal/output.js';
import { isThere } from './is-there.js';

const REPORTER = join(dirname(fileURLToPath(import.meta.url)), 'testing', 'json-reporter.js');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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

interface NodeOptions {
  /** The folder of the skript. */
  folder: string;
  /** Folder of the bundles, inside the skript's folder. */
  place: string;
  pattern: string | undefined;
  output: Output;
}

/** The bundles have numbers as names, because `node --test` reads paths as glob patterns. */
export const bundlePath = (place: string, index: number): string => join(place, `${index}.cjs`);

/**
 * Runs the bundles of tests with `node --test`.
 *
 * @param files paths of the tests in the skript's folder, in the order of their bundles
 * @throws {Failure} if Node has not run all of them
 */
export async function runNode(files: string[], { folder, place, pattern, output }: NodeOptions): Promise<TestEnd> {
  const args = ['--enable-source-maps', '--test', '--test-reporter-destination=stdout'];
  args.push(`--test-reporter=${output.isJson ? REPORTER : 'spec'}`);
  if (pattern !== undefined) args.push(`--test-name-pattern=${pattern}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // For `createRequire`, which looks for libraries beside the skript's own files.
  env.NODE_PATH = join(place, 'node_modules');
  if (output.stdout.isTTY) env.FORCE_COLOR ??= '1';
  // Relative, because the path of the folder may have characters of glob patterns.
  const bundles = files.map((_, index) => slashed(relative(folder, bundlePath(place, index))));
  const child = spawn(process.execPath, [...args, ...bundles], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    child.kill('SIGINT');
  };
  // The program ends at once if the reader of its output has ended, such as `head`.
  const end = () => {
    stop();
    rmSync(place, { recursive: true, force: true });
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  process.on('exit', end);
  let json = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.isJson) json += text;
    else output.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.stderr.write(text));
  const [code] = (await once(child, 'close')) as [number | null];
  for (const signal of SIGNALS) process.off(signal, stop);
  process.off('exit', end);
  if (isStopped) return { code, isStopped };
  const left = await filesNotBegun(files, place);
  if (code === 0 && left.length > 0) throw new Failure(`Node did not run these tests: ${left.join(', ')}.`);
  if (!output.isJson) return { code, isStopped };
  const nameOf = (reported: string) => skriptFile(reported, { files, folder, place });
  return { code, isStopped, tests: reportedIn(json, code).flatMap(test => named(test, place, folder, nameOf)) };
}

/** Returns the tests whose bundles have not begun: each writes a file when it begins. */
async function filesNotBegun(files: string[], place: string): Promise<string[]> {
  const begun = await Promise.all(files.map((_, index) => isThere(`${bundlePath(place, index)}.began`)));
  return files.filter((_, index) => !begun[index]);
}

function reportedIn(json: string, code: number | null): ReportedTest[] {
  try {
    return JSON.parse(json);
  } catch {
    throw new Failure(`The test runner of Node ended with exit code ${code}, and reported no tests.`);
  }
}

/** Names the file of a test by its path in the skript's folder. */
function named(
  { name, state, ...test }: ReportedTest,
  place: string,
  folder: string,
  nameOf: (reported: string) => string,
): ReportedTest[] {
  const file = nameOf(test.file);
  // Node reports a file that fails by itself, and one without tests, as a test with the path of the bundle or the file.
  const isFile = resolve(folder, name).startsWith(place + sep) || (isAbsolute(name) && nameOf(name) === file);
  if (!isFile) return [{ ...test, name, file, state }];
  return state === 'failed' ? [{ ...test, name: file, file, state }] : [];
}

/** Returns the name of a test's file. Node 20 reports the bundle, newer versions the file itself. */
function skriptFile(reported: string, { files, folder, place }: { files: string[]; folder: string; place: string }) {
  const path = resolve(folder, reported);
  const own = dirname(path) === place ? files[Number(basename(path, '.cjs'))] : undefined;
  return own ?? slashed(relative(folder, path));
}

const slashed = (path: string): string => path.split(sep).join('/');
