import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { Failure, Interrupted } from '../failure.js';
import { TerminalQuestions } from '../questions/terminal-questions.js';
import { type Manifest, readManifest } from '../skript-folder/manifest.js';
import { MANIFEST } from '../skript-folder/names.js';
import { safeJson } from '../terminal/clean.js';
import { BUNDLE, bundleSkript, needsBrowser, warningsOf } from './bundle.js';
import { writeTypesIfMissing } from './editor-types.js';
import { isThere } from './libraries.js';
import { type LocalOutcome, LocalRun } from './run-locally.js';
import { readJsonFile, type ValueOptions } from './values.js';

export interface StartOptions extends ValueOptions {
  skript?: string;
  /** Run dist/mainBundle.js as it is. */
  bundle?: boolean;
}

export interface LocalStart {
  run: LocalRun;
  /** Absolute paths of the files that decide what the run does. It may write others itself. */
  files: ReadonlySet<string>;
}

export async function startLocally(
  folder: string,
  { input, inputSecret, bundle }: StartOptions,
  { output }: Context,
): Promise<LocalStart> {
  const { title, environment = 'nodejs' } = (await readManifest(folder)) as Manifest;
  await writeTypesIfMissing(folder);
  const texts = [await readJsonFile(input), await readJsonFile(inputSecret)] as const;
  const { code, isBrowser, files } = bundle
    ? await finishedBundle(folder)
    : await freshBundle(folder, environment, output);
  const questions = new TerminalQuestions(output);
  const run = await LocalRun.start({
    folder,
    title,
    // As on the platform, what a skript requires decides.
    environment: environment === 'nodejs' && isBrowser ? 'browser' : environment,
    code,
    input: texts[0],
    inputSecret: texts[1],
    onEcho: echo => questions.write(() => output.echo(echo)),
    questions,
  });
  const named = [MANIFEST, 'package.json'].map(name => join(folder, name));
  const values = [input, inputSecret].flatMap(name => (name === undefined ? [] : resolve(name)));
  return { run, files: new Set([...named, ...values, ...files]) };
}

/** Writes the output of a run, or throws its error. */
export function report(outcome: LocalOutcome, { output }: Context): void {
  const { action, output: value, error_code, error_stack } = outcome;
  if (output.isJson) output.result(outcome);
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
