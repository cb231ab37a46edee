import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

export interface SourcePosition {
  file: string;
  /** The line and the column are both counted from 1. */
  line: number;
  column: number;
}

const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json(?:;charset=[\w-]+)?;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Maps positions in the bundle to positions in the user's files. */
export class SourcePositions {
  readonly #code: string;
  #map: TraceMap | null | undefined;

  constructor(code: string) {
    this.#code = code;
  }

  /**
   * Returns the position in the user's file. Returns null for code that is not in a file of the user, such as code of
   * the bundler. `line` and `column` count from 1.
   */
  find(line: number, column: number): SourcePosition | null {
    const map = this.#parsed();
    if (!map) return null;
    const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
    if (!found.source) return null;
    return { file: found.source.replace(/^(?:\.\.?\/)+/, ''), line: found.line, column: found.column + 1 };
  }

  // Returns the parsed source map. Parses it when the first error needs it, so that it takes no time in successful
  // runs.
  #parsed(): TraceMap | null {
    if (this.#map === undefined) {
      const encoded = INLINE_MAP.exec(this.#code)?.[1];
      this.#map = encoded ? new TraceMap(Buffer.from(encoded, 'base64').toString('utf8')) : null;
    }
    return this.#map;
  }
}
