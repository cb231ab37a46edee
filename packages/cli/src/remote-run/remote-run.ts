import { type Echo, type Execution, type Run, RunError, type Trawl } from '@trawl/client';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { readJsonFile, type ValueOptions } from '../local-run/values.js';
import { TerminalQuestions } from '../questions/terminal-questions.js';
import { listSecrets } from '../skript-folder/send-changes.js';
import { safeJson } from '../terminal/clean.js';
import { openQuestions } from './open-questions.js';
import { showChanges } from './show-changes.js';
import { storedValues } from './stored-values.js';

export interface StartOptions extends ValueOptions {
  worker?: string;
  force?: boolean;
  /** Record the HTTP exchanges of the run. */
  record?: boolean;
  dryRun?: boolean;
}

/**
 * Starts a skript with the given values, or else with those that are stored under the usual names, as the panel does.
 */
export async function startRun(
  trawl: Trawl,
  skript: string,
  { input, inputSecret, worker, force, record }: StartOptions,
  { output }: Context,
): Promise<Run> {
  const options = { worker, force, record };
  const skriptId = await trawl.skriptId(skript);
  if (input === undefined && inputSecret === undefined) {
    const stored = await storedValues(trawl, skriptId);
    return trawl.runStored(skriptId, { input: stored.input?.name, inputSecret: stored.inputSecret?.name }, options);
  }
  const values = [await readJsonFile(input), await readJsonFile(inputSecret)].map(parsed);
  if (inputSecret === undefined && (await listSecrets(trawl, skriptId)).length > 0) {
    output.warn('The run gets no input secret. Name its file with -is.');
  }
  return trawl.run(skriptId, values[0], { ...options, inputSecret: values[1] });
}

/** Tells which run `startRun` would start. */
export async function planRun(
  trawl: Trawl,
  skript: string,
  { input, inputSecret, worker = 'any' }: StartOptions,
  { output }: Context,
): Promise<void> {
  const skript_id = await trawl.skriptId(skript);
  const isGiven = input !== undefined || inputSecret !== undefined;
  const stored = isGiven ? {} : await storedValues(trawl, skript_id);
  for (const name of [input, inputSecret]) if (name !== '-') await readJsonFile(name);
  const values = [input ?? stored.input?.name, inputSecret ?? stored.inputSecret?.name].filter(Boolean);
  const place = worker === 'any' ? 'the least loaded worker' : `the worker ${worker}`;
  output.planned(`run ${skript} on ${place}, with ${values.join(' and ') || 'no input'}`);
}

/** Shows the echoes of a run, its attempts and why it waits, until it has ended. */
export async function follow(
  trawl: Trawl,
  run: Run,
  { output }: Context,
  show = (echo: Echo) => output.echo(echo),
): Promise<Execution> {
  const failed = new AbortController();
  const { signal } = failed;
  try {
    const shown = [showChanges(run, output, signal), showEchoes(trawl, run, { show, output, signal })] as const;
    const [execution] = await Promise.all(shown);
    return execution;
  } finally {
    // If one of them fails, the other must not keep the program running.
    failed.abort();
  }
}

/** Passes the echoes of a run to `show` until it has ended. At a terminal, also asks the run's open questions. */
async function showEchoes(
  trawl: Trawl,
  run: Run,
  { show, output, signal }: { show(echo: Echo): void; output: Context['output']; signal: AbortSignal },
): Promise<void> {
  const questions = new TerminalQuestions(output);
  try {
    for await (const echo of run.logs({ signal })) {
      // The first echo of a retry: the questions of the attempt before have ended with it.
      if (echo.seq === 1) questions.closeAll();
      questions.show(echo, show, id => ({
        isOpen: async () => (await openQuestions(trawl, run)).some(({ seq }) => seq === id),
        answer: text => run.answer(id, text),
      }));
    }
  } finally {
    questions.closeAll();
  }
}

/** Writes the output of a run and what is unusual about its rows, or throws its error. */
export function report(execution: Execution, { output }: Context): void {
  if (output.isJson) output.result(execution);
  else if (execution.action === 'end') output.result(null, safeJson(execution.output, 2));
  requireEnd(execution);
  const { level, findings = [] } = execution.verdict ?? {};
  const sentences = findings.map(({ text }) => text).join('\n');
  if (level === 'broken') throw new Failure(`The rows of the run are broken:\n${sentences}`, EXIT.broken);
  if (level === 'unusual') output.note(`The rows of the run are unusual:\n${sentences}`);
}

/** @throws {Failure} if a run has failed, or somebody stopped it */
export function requireEnd(execution: Execution): void {
  if (execution.action === 'end') return;
  const { message, stack, code } = new RunError(execution);
  throw new Failure(code === 'stopped' ? message : `${stack}\nThe run failed with the code ${code}.`);
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
