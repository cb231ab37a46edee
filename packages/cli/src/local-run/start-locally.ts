import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isRunFile, LIMITS, type RunFile } from '@trawl/contracts';
import type { LocalOutcome, LocalWorker } from '@trawl/worker/local-worker';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { Failure, Interrupted } from '../failure.js';
import { type Manifest, readManifest } from '../skript-folder/manifest.js';
import { MANIFEST } from '../skript-folder/names.js';
import { refuseLinksOut, withContent } from '../skript-folder/own-files.js';
import { readSkriptFolder } from '../skript-folder/read-folder.js';
import { safeJson } from '../terminal/clean.js';
import { BUNDLE, bundleSkript, needsBrowser, warningsOf } from './bundle.js';
import { writeTypesIfMissing } from './editor-types.js';
import { isThere } from './is-there.js';
import { type LocalReplay, runLocally, type StoredRows } from './run-locally.js';
import { readJsonFile, type ValueOptions } from './values.js';

const NO_BROWSER = 'The skript needs a browser, but none was found. Set CHROME_PATH to the path of Chrome or Chromium.';

export interface StartOptions extends ValueOptions {
  skript?: string;
  /** Run dist/mainBundle.js as it is. */
  bundle?: boolean;
  /** The record that the run replays. */
  replay?: LocalReplay;
  /** Path to which the record of the run is saved. */
  recordTo?: string;
  /** The input as JSON text instead of a file; null for none. */
  inputText?: string | null;
}

export interface LocalStart {
  run: Omit<ReturnType<typeof runLocally>, 'rows'>;
  /** JSON text; null for none. */
  input: string | null;
  /** The rows of a replay or of a recorded run, when it has ended. */
  rows: () => Promise<StoredRows>;
  /** Absolute paths of the files that decide what the run does. */
  files: ReadonlySet<string>;
}

export async function startLocally(
  worker: LocalWorker,
  folder: string,
  { input, inputSecret, bundle, replay, recordTo, inputText }: StartOptions,
  { output }: Context,
): Promise<LocalStart> {
  const manifest = (await readManifest(folder)) as Manifest;
  const { environment, timeLimitMs } = settingsOf(manifest);
  const values = [input, inputSecret].flatMap(name => (name === undefined || name === '-' ? [] : resolve(name)));
  const kept = await withContent(join(folder, '.trawl', 'storage'));
  await refuseLinksOut(folder, ['node_modules', '.trawl', BUNDLE, ...values, ...kept]);
  await writeTypesIfMissing(folder);
  const value = inputText === undefined ? await readJsonFile(input) : inputText;
  const { code, isBrowser, files } = bundle
    ? await finishedBundle(folder)
    : await freshBundle(folder, environment, output);
  // As on the platform, what a skript requires decides.
  const needsChromium = environment === 'browser' || isBrowser;
  if (needsChromium && worker.chromium === null) throw new Failure(NO_BROWSER);
  const runFiles = await runFilesOf(folder, files);
  const skript = {
    folder,
    title: manifest.title,
    environment: needsChromium ? ('browser' as const) : environment,
    code,
    files: runFiles,
    timeLimitMs,
    input: value,
    inputSecret: await readJsonFile(inputSecret),
    ...(replay !== undefined && { replay }),
    ...(recordTo !== undefined && { recordTo }),
  };
  const { rows, ...run } = runLocally(worker, skript, output);
  const named = [MANIFEST, 'package.json', ...runFiles.map(({ name }) => name)].map(name => join(folder, name));
  return { run, input: value, rows, files: new Set([...named, ...values, ...files]) };
}

/** Checks the fields that decide how a run is started. */
function settingsOf({ environment = 'nodejs', time_limit_ms: timeLimitMs = LIMITS.timeLimitMs.default }: Manifest) {
  if (environment === 'python') {
    throw new Failure('The environment of the skript is python, which is not available yet.', EXIT.usage);
  }
  if (environment !== 'nodejs' && environment !== 'browser') {
    throw new Failure(`environment in ${MANIFEST} must be nodejs or browser.`, EXIT.usage);
  }
  const { min, max } = LIMITS.timeLimitMs;
  if (typeof timeLimitMs !== 'number' || !(timeLimitMs >= min && timeLimitMs <= max)) {
    throw new Failure(
      `time_limit_ms in ${MANIFEST} must be a number of milliseconds from ${min} to ${max}.`,
      EXIT.usage,
    );
  }
  return { environment, timeLimitMs } as const;
}

/**
 * Reads the files that the run finds in its folder, as on the platform: all but the code in the bundle, and the manifest
 * and inputs that a file names.
 */
async function runFilesOf(folder: string, bundled: readonly string[]): Promise<RunFile[]> {
  const { files, inputs } = await readSkriptFolder(folder);
  const inCode = new Set(bundled);
  const own = [...files].filter(([name]) => isRunFile(name) && !inCode.has(join(folder, name)));
  const manifest = await readFile(join(folder, MANIFEST), 'utf8');
  const values = [[MANIFEST, manifest] as const, ...inputs].filter(([name]) =>
    [...files.values()].some(content => content.includes(name)),
  );
  return [...own, ...values].map(([name, content]) => ({ name, content }));
}

/** Writes the output of a run, or throws its error. */
export function report({ action, output: text, error_code, error_stack }: LocalOutcome, { output }: Context): void {
  const value = text === null ? null : JSON.parse(text);
  if (output.isJson) output.result({ action, output: value, error_code, error_stack });
  else if (action === 'end') output.result(null, safeJson(value, 2));
  if (action === 'stop') throw new Interrupted();
  if (action === 'error') throw new Failure(`${error_stack ?? ''}\nThe run failed with the code ${error_code}.`.trim());
}

/** Code to run, and whether it requires a library that needs a browser. */
interface Code {
  code: string;
  isBrowser: boolean;
  /** As in `Bundle`. */
  files: string[];
}

async function freshBundle(folder: string, environment: string, output: Context['output']): Promise<Code> {
  const bundle = await bundleSkript(folder);
  for (const warning of warningsOf(bundle, environment)) output.warn(warning);
  return { code: bundle.code, isBrowser: bundle.browserImport !== null, files: bundle.files };
}

/** Reads the bundle that `trawl bundle` has written. */
async function finishedBundle(folder: string): Promise<Code> {
  const path = join(folder, BUNDLE);
  if (!(await isThere(path))) throw new Failure(`There is no ${path}. Write it with: trawl bundle`, EXIT.notFound);
  const code = await readFile(path, 'utf8');
  return { code, isBrowser: await needsBrowser(code), files: [path] };
}
