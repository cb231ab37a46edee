import { keyOf, RecordRefused, type RequestKey } from '../../records/record-format.js';
import { type FoundExchange, RecordReader } from '../../records/record-reader.js';

/** How many of the addresses of a record are compared to find the nearest one. */
const MAX_COMPARED = 5_000;

/** The answer to a request of a replay. */
export interface RecordedAnswer {
  found: FoundExchange;
  body: Buffer;
}

/**
 * Finds the recorded answers of requests. The n-th request with the same key gets the n-th answer, and later ones get the
 * last. Only the places of the answers are in memory.
 */
export class RecordedAnswers {
  readonly #places = new Map<string, number[]>();
  readonly #asked = new Map<string, number>();
  readonly #addresses = new Set<string>();
  /** Methods and addresses to which no request with a body has an answer, and the place that says why. */
  readonly #unknownBodies = new Map<string, number>();

  private constructor(private readonly reader: RecordReader) {}

  /** @throws RecordRefused if the file is no record */
  static async open(path: string): Promise<RecordedAnswers> {
    const answers = new RecordedAnswers(await RecordReader.open(path));
    const starts: number[] = [];
    for await (const { head, start } of answers.reader.exchanges()) {
      starts.push(start);
      const place = starts[(head.same_as ?? starts.length) - 1];
      if (place === undefined) throw new RecordRefused('The record is wrong: `same_as` must be an earlier exchange.');
      if (head.same_as !== undefined && head.left_out !== undefined) {
        answers.#unknownBodies.set(keyOf({ ...head, request: '' }), start);
        continue;
      }
      const key = keyOf(head);
      const places = answers.#places.get(key);
      if (places) places.push(place);
      else answers.#places.set(key, [place]);
      if (answers.#addresses.size < MAX_COMPARED) answers.#addresses.add(`${head.method} ${head.url}`);
    }
    for (const places of answers.#places.values()) places.sort((one, other) => one - other);
    return answers;
  }

  /** Returns null if the record has no answer. */
  async next(request: RequestKey): Promise<RecordedAnswer | null> {
    const unknown = request.request === '' ? undefined : this.#unknownBodies.get(keyOf({ ...request, request: '' }));
    if (unknown !== undefined) return { found: await this.reader.head(unknown), body: Buffer.alloc(0) };
    const key = keyOf(request);
    const places = this.#places.get(key);
    if (!places) return null;
    const asked = this.#asked.get(key) ?? 0;
    this.#asked.set(key, asked + 1);
    const found = await this.reader.head(places[Math.min(asked, places.length - 1)] as number);
    return { found, body: await this.reader.body(found) };
  }

  /** Returns the recorded request whose address is most like this one, as `GET https://…`; null if the record is empty. */
  nearest({ method, url }: RequestKey): string | null {
    const wanted = `${method} ${url}`;
    let best: { address: string; score: number } | null = null;
    for (const address of this.#addresses) {
      const score = likeness(wanted, address);
      if (!best || score > best.score) best = { address, score };
    }
    return best?.address ?? null;
  }
}

/** Number of equal characters at the beginning and at the end, and a little less for a different length. */
function likeness(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let start = 0;
  while (start < length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end - Math.abs(one.length - other.length) / 1_000;
}
