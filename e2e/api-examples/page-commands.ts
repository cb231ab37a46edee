import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A block of commands on a page, and the output that the page shows for it. */
interface Step {
  commands: string;
  /** True if the page shows these commands to demonstrate an error. */
  isRefused: boolean;
  answer?: { language: string; text: string; isPart: boolean };
}

/**
 * Returns the commands of a page in order: all blocks of `bash` that are marked `runnable`, or `refused` if the page
 * demonstrates an error. If the next block has the title "Answer", it shows the whole output of the commands; with the
 * title "Answer, in part" it shows a part of the output.
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
 * Runs each step in a new shell, as readers do who copy one block. It fails if a command fails or gets an error response,
 * unless the page demonstrates that error.
 *
 * @param before definitions that the website writes above the commands
 * @returns the output of each step
 * @throws {Error} with the output, when a command fails
 */
export async function run(steps: Step[], before: string, folder: string, env: Record<string, string>) {
  const printed: string[] = [];
  for (const { commands, isRefused } of steps) {
    const script = `set -euo pipefail\n${before}\n${commands}`;
    const { error, stdout, stderr } = await new Promise<{ error: Error | null; stdout: string; stderr: string }>(
      settle =>
        execFile('bash', ['-c', script], { cwd: folder, env: { ...env, HOME: folder } }, (error, stdout, stderr) =>
          settle({ error, stdout, stderr }),
        ),
    );
    if (Boolean(error) !== isRefused) {
      throw new Error(`${isRefused ? 'This did not fail:\n' : ''}${commands}\nprinted: ${stdout}\n${stderr}`);
    }
    printed.push(stdout);
  }
  return printed;
}

/**
 * Expects that the commands printed the output that the page shows. In the shown output `…` matches any text. If the
 * page shows only a part, the printed output may contain more.
 */
export function expectShown(printed: string, { language, text, isPart }: NonNullable<Step['answer']>): void {
  if (language === 'json') {
    const shown = withWildcards(JSON.parse(text));
    if (isPart) expect(JSON.parse(printed)).toMatchObject(shown as object);
    else expect(JSON.parse(printed)).toEqual(shown);
  } else if (isPart) {
    for (const line of text.trim().split('\n')) expect(printed).toMatch(pattern(line));
  } else {
    expect(printed.trim()).toMatch(pattern(text.trim(), 'whole'));
  }
}

function withWildcards(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('…') ? expect.stringMatching(pattern(value, 'whole')) : value;
  if (Array.isArray(value)) return value.map(withWildcards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]));
}

function pattern(text: string, extent: 'whole' | 'anywhere' = 'anywhere'): RegExp {
  const source = text
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(extent === 'whole' ? `^${source}$` : source, 's');
}
