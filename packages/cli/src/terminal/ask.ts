import type { CommonOptions } from '@clack/prompts';
import { EXIT } from '../exit-codes.js';
import { Failure, Interrupted } from '../failure.js';
import { cleanLine } from './clean.js';

/** Questions go to stderr, because stdout is for results. */
const STREAMS: CommonOptions = { input: process.stdin, output: process.stderr };

/** Longer texts would hide the prompt. The echo of the question has all of it. */
const MAX_QUESTION_CHARS = 200;

export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

/** @param instead what to do without a terminal, such as `Give it with --url.` */
export async function askText(message: string, instead: string, initialValue?: string): Promise<string> {
  const { text } = await prompts(message, instead);
  const validate = (value?: string) => (value?.trim() ? undefined : 'Type something.');
  return answered(await text({ ...STREAMS, message: cleanLine(message), initialValue, validate })).trim();
}

export async function askSecret(message: string, instead: string): Promise<string> {
  const { password } = await prompts(message, instead);
  return answered(await password({ ...STREAMS, message: cleanLine(message) }));
}

export async function askChoice<Value extends string>(
  message: string,
  instead: string,
  choices: { value: Value; hint: string }[],
): Promise<Value> {
  const { select } = await prompts(message, instead);
  const options = choices.map(({ value, hint }) => ({ value: value as string, label: value as string, hint }));
  return answered(await select({ ...STREAMS, message: cleanLine(message), options })) as Value;
}

/**
 * Asks a question of a skript. Resolves to undefined if `signal` aborts first.
 *
 * @param choices the valid answers; empty if every text is valid
 */
export async function askAnswer(
  { text, choices }: { text: string; choices: string[] },
  instead: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const message = cleanLine(text).slice(0, MAX_QUESTION_CHARS);
  const prompt = await prompts(message, instead);
  const options = choices.map(value => ({ value, label: cleanLine(value) }));
  const answer = await (options.length > 0
    ? prompt.select({ ...STREAMS, message, options, signal })
    : prompt.text({ ...STREAMS, message, signal }));
  return signal?.aborted ? undefined : (answered(answer) ?? '');
}

export async function askConsent(message: string, instead: string): Promise<boolean> {
  const { confirm } = await prompts(message, instead);
  return answered(await confirm({ ...STREAMS, message: cleanLine(message), initialValue: false }));
}

/** Loaded only for a question, because most commands ask none. */
async function prompts(message: string, instead: string) {
  if (!isInteractive()) {
    throw new Failure(`Cannot ask “${message}”, because this is not a terminal. ${instead}`, EXIT.usage);
  }
  return import('@clack/prompts');
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw new Interrupted();
  return answer as Exclude<Answer, symbol>;
}
