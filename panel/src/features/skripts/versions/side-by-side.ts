export interface Line {
  number: number;
  text: string;
}

/** One row of a comparison: the line on each side; null if that side has none. */
export interface ComparedRow {
  kind: 'same' | 'changed';
  from: Line | null;
  to: Line | null;
}

/** Lines that are compared together. The file has more, equal ones between two blocks. */
export type ComparedBlock = ComparedRow[];

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Collects the rows of one block, with removed lines beside those that replace them. */
class Block {
  readonly rows: ComparedBlock = [];
  #removed: Line[] = [];
  #added: Line[] = [];

  constructor(
    private from: number,
    private to: number,
  ) {}

  add(line: string): void {
    const text = line.slice(1);
    if (line.startsWith('-')) this.#removed.push({ number: this.from++, text });
    else if (line.startsWith('+')) this.#added.push({ number: this.to++, text });
    // A line such as "\ No newline at end of file" is no line of the file.
    else if (!line.startsWith('\\')) {
      this.pair();
      this.rows.push({ kind: 'same', from: { number: this.from++, text }, to: { number: this.to++, text } });
    }
  }

  /** Adds the rows of the changed lines so far. */
  pair(): void {
    for (let row = 0; row < Math.max(this.#removed.length, this.#added.length); row++) {
      this.rows.push({ kind: 'changed', from: this.#removed[row] ?? null, to: this.#added[row] ?? null });
    }
    this.#removed = [];
    this.#added = [];
  }
}

/** Turns the unified diff of a file into blocks of rows, to show both sides beside each other. */
export function sideBySide(diff: string): ComparedBlock[] {
  const blocks: Block[] = [];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const [isHunk, from, to] = HUNK.exec(line) ?? [];
    if (isHunk) {
      blocks.at(-1)?.pair();
      blocks.push(new Block(Number(from), Number(to)));
    } else blocks.at(-1)?.add(line);
  }
  blocks.at(-1)?.pair();
  return blocks.map(({ rows }) => rows);
}
