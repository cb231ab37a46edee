import { readFileSync } from 'node:fs';

/** A step of the tutorial: commands to run, or a change of a file. */
export type Step =
  | { kind: 'commands'; commands: string; succeeds: boolean; shown: string }
  | { kind: 'file'; name: string; text: string }
  | { kind: 'line'; name: string; line: number; text: string };

interface Block {
  language: string;
  meta: string;
  title: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', meta = '', text = '']) => ({
    language,
    meta,
    title: /title="([^"]*)"/.exec(meta)?.[1] ?? '',
    text,
  }));
}

/**
 * Returns the steps of a page in order. Blocks of `bash` with the mark `runnable` are commands; with `refused` they are
 * commands that fail. The next block shows their output if its title is "You see". Any other title is the name of a
 * file, or one of its lines: "main.js, line 18".
 */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, meta, title, text }, index): Step[] => {
    if (language === 'bash') {
      if (!/\b(runnable|refused)\b/.test(meta)) return [];
      const next = blocks[index + 1];
      const shown = next?.title === 'You see' ? next.text : '';
      return [{ kind: 'commands', commands: text, succeeds: !/\brefused\b/.test(meta), shown }];
    }
    if (title === '' || title === 'You see') return [];
    const [, name = title, line] = /^(.+), line (\d+)$/.exec(title) ?? [];
    if (line !== undefined) return [{ kind: 'line', name, line: Number(line), text }];
    const file = /file=(\S+)/.exec(meta)?.[1];
    return [{ kind: 'file', name, text: file ? readFileSync(file, 'utf8') : text }];
  });
}

/** Returns the commands that the page shows and no test runs. */
export const otherCommands = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language, meta }) => language === 'bash' && !/\b(runnable|refused)\b/.test(meta))
    .map(({ text }) => text);

/** Returns the HTML that the page shows. `…` stands for any text. */
export const htmlOf = (page: string): string => blocksOf(page).find(({ language }) => language === 'html')?.text ?? '';

const CHANGING: [pattern: RegExp, name: string][] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)'],
  [/\b[0-9a-f]{24}\b/g, '(object id)'],
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{3}Z|[+-]\d\d:\d\d)/g, '(time)'],
  [/^\d\d:\d\d:\d\d[+-]\d\d:\d\d (?=\/)/gm, '(time) '],
];

/** Replaces ids and times, which differ each time. */
export const withoutIdsAndTimes = (text: string): string =>
  CHANGING.reduce((changed, [pattern, name]) => changed.replace(pattern, name), text);
