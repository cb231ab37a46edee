import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

export interface SourcePlace {
  file: string;
  /** Both count from 1. */
  line: number;
  column: number;
}

const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json(?:;charset=[\w-]+)?;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Finds the place in the user's own files that a place in their bundle was made from. */
export class SourcePlaces {
  readonly #code: string;
  #map: TraceMap | null | undefined;

  constructor(code: string) {
    this.#code = code;
  }

  /** Null for what stands in no file of the user, such as code that the bundler added. `line` and `column` count from 1. */
  find(line: number, column: number): SourcePlace | null {
    const map = this.#parsed();
    if (!map) return null;
    const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
    if (found.source === null) return null;
    return { file: found.source.replace(/^(?:\.\.?\/)+/, ''), line: found.line, column: found.column + 1 };
  }

  // Parsed at the first error: a run that goes well never pays for it.
  #parsed(): TraceMap | null {
    if (this.#map === undefined) {
      const encoded = INLINE_MAP.exec(this.#code)?.[1];
      this.#map = encoded ? new TraceMap(Buffer.from(encoded, 'base64').toString('utf8')) : null;
    }
    return this.#map;
  }
}
