import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AdminError } from './admin-error.js';

const PROGRESS_AFTER_MS = 2_000;
const PROGRESS_EVERY_MS = 1_000;

/** Writes a line of the result to stdout. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Tells the operator something that is not the result. */
export const note = (line: string): void => void process.stderr.write(`${line}\n`);

/** Writes rows as a table with aligned columns. */
export function printTable(header: string[], rows: string[][]): void {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map(row => row[column]?.length ?? 0)));
  for (const row of [header, ...rows]) {
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Does some work. If it takes over two seconds, shows its progress: at a terminal each second, otherwise once. */
export async function withProgress<Result>(label: () => string, work: Promise<Result>): Promise<Result> {
  const isTerminal = process.stderr.isTTY;
  let isShown = false;
  const show = () => {
    if (isTerminal) process.stderr.write(`\r\x1b[K${label()}…`);
    else if (!isShown) note(`${label()}…`);
    isShown = true;
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, PROGRESS_EVERY_MS);
  }, PROGRESS_AFTER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isShown && isTerminal) process.stderr.write('\r\x1b[K');
  }
}

/** Asks twice for a password without showing it. Without a terminal, reads it from stdin. */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const first = await askHidden('New password: ');
  if (first !== (await askHidden('Repeat it: '))) throw new AdminError('The passwords differ. Nothing was changed.');
  return first;
}

async function askHidden(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write(question);
  try {
    return await new Promise((answer, reject) => {
      lines.once('line', answer);
      lines.once('SIGINT', () => reject(new AdminError('Cancelled. Nothing was changed.')));
      lines.once('close', () => reject(new AdminError('Cancelled. Nothing was changed.')));
    });
  } finally {
    lines.close();
    note('');
  }
}

/** The signals that interrupt a command, with its exit codes. */
const INTERRUPTS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `clean` and exits if the operator interrupts the command. Returns a function that ends this. */
export function onInterrupt(clean: () => void): () => void {
  const listeners = Object.entries(INTERRUPTS).map(([signal, exitCode]) => {
    const listener = () => {
      clean();
      process.exit(exitCode);
    };
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
