import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One block of commands on a page, and what the page says that they answer. */
interface Step {
  commands: string;
  /** The page shows how Trawl refuses it. */
  isRefused: boolean;
  answer?: { language: string; text: string; isPart: boolean };
}

const MARK = '--- next block ---';

/**
 * What a page has a reader do, in order: blocks of `bash` that are marked `runnable` (or `refused`, where it is an error that
 * is shown). A block titled "Answer" right behind one says all that it prints, one titled "Answer, in part" some of it.
 */
export function stepsOf(file: string): Step[] {
  const blocks = [...readFileSync(file, 'utf8').matchAll(/^```(\w*)([^\n]*)\n(.*?)^```$/gms)].map(
    ([, language = '', meta = '', text = '']) => ({ language, meta, text, title: /title="([^"]*)"/.exec(meta)?.[1] }),
  );
  return blocks.flatMap(({ language, meta, text }, index) => {
    const isRefused = /\brefused\b/.test(meta);
    if (language !== 'bash' || !(isRefused || /\brunnable\b/.test(meta))) return [];
    const next = blocks[index + 1];
    const answer = next?.title?.startsWith('Answer')
      ? { language: next.language, text: next.text, isPart: next.title === 'Answer, in part' }
      : undefined;
    return [{ commands: text, isRefused, ...(answer && { answer }) }];
  });
}

/**
 * Runs the commands in one shell, in which every failure counts, a refusal by Trawl too.
 * @param before what a reader has done before: commands of another page
 * @returns what each step printed
 * @throws {Error} with all that was printed, when a command fails
 */
export async function run(steps: Step[], before: string, folder: string, env: Record<string, string>) {
  const script = [
    `set -euo pipefail\n${before}`,
    ...steps.map(({ commands, isRefused }) =>
      isRefused ? `if {\n${commands}}; then echo "This was not refused: ${MARK}" >&2; exit 1; fi` : commands,
    ),
  ].join(`\necho '${MARK}'\n`);
  const { error, stdout, stderr } = await new Promise<{ error: Error | null; stdout: string; stderr: string }>(settle =>
    execFile('bash', ['-c', script], { cwd: folder, env: { ...env, HOME: folder } }, (error, stdout, stderr) =>
      settle({ error, stdout, stderr }),
    ),
  );
  const printed = stdout.split(`${MARK}\n`).slice(1);
  if (error) {
    throw new Error(`${steps[printed.length - 1]?.commands ?? before}\nprinted: ${printed.at(-1)}\n${stderr}`);
  }
  return printed;
}

/** What is printed as the page shows it: `…` stands for anything, and of an object in part some fields. */
export function expectShown(printed: string, { language, text, isPart }: NonNullable<Step['answer']>): void {
  if (language === 'json') {
    const shown = withPlaces(JSON.parse(text));
    if (isPart) expect(JSON.parse(printed)).toMatchObject(shown as object);
    else expect(JSON.parse(printed)).toEqual(shown);
  } else if (isPart) {
    for (const line of text.trim().split('\n')) expect(printed).toMatch(pattern(line));
  } else {
    expect(printed.trim()).toMatch(pattern(text.trim(), 'whole'));
  }
}

function withPlaces(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('…') ? expect.stringMatching(pattern(value, 'whole')) : value;
  if (Array.isArray(value)) return value.map(withPlaces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPlaces(inner)]));
}

function pattern(text: string, extent: 'whole' | 'anywhere' = 'anywhere'): RegExp {
  const source = text
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(extent === 'whole' ? `^${source}$` : source, 's');
}
