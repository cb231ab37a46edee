import type { Echo } from '@trawl/client';
import colours from 'yoctocolors';
import { clean, cleanLine, safeJson } from './clean.js';
import { localClock } from './local-time.js';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'> & { columns?: number };
type Style = (text: string) => string;

const ECHO_STYLES: Partial<Record<Echo['type'], Style>> = { warn: colours.yellow, error: colours.red };

/**
 * Writes results to stdout and everything else to stderr, so that a pipe gets only results. Control characters are removed
 * from all text, and colours appear only at terminals.
 */
export class Output {
  /** Text of the last line that `note` has written, if it is the last one at the terminal; otherwise empty. */
  #lastNote = '';

  constructor(
    /** Whether results are JSON. */
    readonly isJson: boolean,
    readonly stdout: Stream = process.stdout,
    readonly stderr: Stream = process.stderr,
  ) {}

  /** Writes the result of a command: `value` as JSON, otherwise `text`, or nothing without one. */
  result(value: unknown, text?: string): void {
    if (this.isJson) this.stdout.write(`${safeJson(value, 2)}\n`);
    else if (text !== undefined) this.stdout.write(`${clean(text)}\n`);
  }

  /** Writes what a command with --dry-run would do, such as `delete Books`. */
  planned(text: string): void {
    this.result({ dry_run: true, would: clean(text) }, `Would ${text}`);
  }

  /** Writes a list: as a JSON array, otherwise as a table with a column for each name. */
  table(rows: Record<string, unknown>[], columns: Record<string, (row: never) => unknown>, empty: string): void {
    if (this.isJson) this.result(rows);
    else if (rows.length === 0) this.note(empty);
    else this.#table(rows, columns);
  }

  #table(rows: Record<string, unknown>[], columns: Record<string, (row: never) => unknown>): void {
    const names = Object.keys(columns);
    const cells = rows.map(row => Object.values(columns).map(cell => cleanLine(String(cell(row as never) ?? ''))));
    const widths = names.map((name, column) => Math.max(name.length, ...cells.map(line => line[column]?.length ?? 0)));
    const line = (texts: string[]) =>
      texts
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd();
    this.stdout.write(`${this.#styled(this.stdout, colours.bold, line(names))}\n`);
    for (const texts of cells) this.stdout.write(`${line(texts)}\n`);
  }

  /**
   * Writes an echo of a run to a stream, with the time in this computer's zone. Indents further lines of the echo by the
   * width of the time, so that columns are aligned and no line of the text can pass for another echo.
   */
  echo({ type, msg, time }: Omit<Echo, 'seq'>, stream: Stream = this.stderr): void {
    const text = type === 'image' ? `[image, ${Math.ceil((msg.length * 3) / 4 / 1024)} KB]` : clean(msg);
    const clock = localClock(time);
    const label = type === 'warn' || type === 'error' ? `${type}: ` : '';
    const lines = `${label}${text}`.replaceAll('\n', `\n${' '.repeat(clock.length + 1)}`);
    const styled = this.#styled(stream, ECHO_STYLES[type] ?? String, lines);
    this.#lastNote = '';
    stream.write(`${this.#styled(stream, colours.dim, clock)} ${styled}\n`);
  }

  /** Whether a note can replace the one before. Results as JSON are written without this class, and may be between them. */
  get canReplace(): boolean {
    return this.stderr.isTTY && !this.isJson;
  }

  /**
   * Tells the person at the terminal something that is not the result.
   *
   * @param options.isReplacing at a terminal, replaces the note before if nothing else was written meanwhile
   */
  note(text: string, { isReplacing = false }: { isReplacing?: boolean } = {}): void {
    const line = clean(text);
    const before = isReplacing && this.canReplace ? this.#lastNote : '';
    const rows = Math.ceil(before.length / (this.stderr.columns || 80));
    this.stderr.write(`${before === '' ? '' : `\x1b[${rows}A\r\x1b[J`}${line}\n`);
    this.#lastNote = line;
  }

  warn(text: string): void {
    this.#lastNote = '';
    this.stderr.write(`${this.#styled(this.stderr, colours.yellow, `Warning: ${clean(text)}`)}\n`);
  }

  error(text: string): void {
    this.#lastNote = '';
    this.stderr.write(`${this.#styled(this.stderr, colours.red, clean(text))}\n`);
  }

  #styled(stream: Stream, style: Style, text: string): string {
    return stream.isTTY ? style(text) : text;
  }
}
