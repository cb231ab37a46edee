import { crc32 } from 'node:zlib';
import type { RequestedHost, RunWrite } from '@trawl/contracts';
import type { DocumentBytes } from '../../../../data/storage/values/bson-bytes.js';
import { viewOf } from './bson-elements.js';
import type { Example } from './example-rows.js';
import { bsonRowsIn } from './json-rows.js';
import { newBudget } from './row-fields.js';
import { RowProfile } from './row-profile.js';
import { boundedProfile, DATASET, type RunProfile } from './run-profile.js';
import type { SchemaChecker } from './schema-checker.js';

/** The dataset, collections and tables of a run that have a profile. Later ones have none, which its verdict says. */
const MAX_TARGETS = 4;
/** The profiler reads only every eighth call once a table has this many rows, because reading their JSON is slow. */
const READ_ALL_JSON = 2_000;
const SOME_CALLS = 8;
/** Calls that are remembered, to recognise one that the worker repeats. */
const REMEMBERED_CALLS = 64;

const RESERVED_IN_DATASET = ['_id', '_run', '_at', '_partial'];

/** Where a run stores rows. */
interface Target {
  store: RunWrite['store'];
  database?: string | null | undefined;
  /** Null if the worker does not know it, or counts several together. */
  name: string | null;
}

/** Collects the profile of what a run stores, while it does. It never throws. */
export class RunProfiler {
  readonly #profiles = new Map<string, RowProfile>();
  readonly #budget = newBudget();
  readonly #calls = new Set<number>();
  #tableCalls = 0;

  /** @param schema checks the rows of the dataset, by the contract of the skript */
  constructor(private readonly schema?: SchemaChecker) {}

  /** Adds the first `count` documents of a call that stored them. Returns a promise if their check takes longer. */
  addDocuments(target: string, { bytes, positions }: DocumentBytes, count: number): Promise<void> | undefined {
    const profile = this.#profileOf(target);
    if (!profile || this.#isRepeated(bytes.subarray(0, positions[0]?.to))) return undefined;
    const read: Buffer[] = [];
    const view = viewOf(bytes);
    for (let index = 0; index < count; index++) {
      const position = positions[index];
      if (!position) continue;
      const isRead = profile.add(bytes, position.from, position.to, view);
      if (isRead && this.schema && target === DATASET) read.push(bytes.subarray(position.from, position.to));
    }
    profile.endCall();
    return this.schema?.check(read);
  }

  /** Waits until all rows are checked. */
  async checked(): Promise<void> {
    await this.schema?.check([]);
  }

  /** Adds the rows of a call of `postgres.insertMany`: a JSON array of objects. */
  addJson(target: string, text: string): void {
    const profile = this.#profileOf(target);
    if (!profile || (profile.rows > READ_ALL_JSON && this.#tableCalls++ % SOME_CALLS !== 0)) return;
    for (const bytes of bsonRowsIn(text)) profile.add(bytes, 0, bytes.length);
    profile.endCall();
  }

  /**
   * Returns the profile.
   *
   * @param rows the number of rows in the dataset
   * @param writes what the run has written, as its worker counts it
   * @param requests of the run by host
   */
  profile(rows: number, writes: readonly RunWrite[], requests: readonly RequestedHost[] = []): RunProfile {
    const stored = new Map<string, number>();
    if (rows > 0) stored.set(DATASET, rows);
    const changed: RunWrite[] = [];
    for (const write of writes) {
      // The worker also counts the rows of `dataset.push` as writes.
      const isDataset = rows > 0 && write.name?.startsWith('dataset_');
      if (isDataset) continue;
      if (write.inserted > 0) stored.set(targetOf(write), write.inserted);
      else changed.push(write);
    }
    const blocked = requests.filter(host => host.blocked);
    const profile: RunProfile = {
      targets: [],
      skipped: changed.map(write => ({ target: targetOf(write), reason: changedReason(write), rows: 0 })),
      ...(this.schema && { schema: this.schema.summary() }),
      ...(blocked.length > 0 && { blocked }),
    };
    for (const [target, count] of stored) {
      const known = this.#profiles.get(target);
      const isSampled = target.startsWith('postgresql:') && (known?.rows ?? 0) > READ_ALL_JSON;
      if (known && (known.rows >= count || isSampled)) profile.targets.push({ ...known.summary(), rows: count });
      else profile.skipped.push({ target, reason: skippedReason(target, known?.rows ?? 0, count), rows: count });
    }
    return boundedProfile(profile);
  }

  /** Some rows of each target. */
  examples(target: string): readonly Example[] {
    return this.#profiles.get(target)?.examples ?? [];
  }

  #profileOf(target: string): RowProfile | undefined {
    const known = this.#profiles.get(target);
    if (known || this.#profiles.size >= MAX_TARGETS) return known;
    const added = new RowProfile(target, target === DATASET ? RESERVED_IN_DATASET : ['_id'], this.#budget);
    this.#profiles.set(target, added);
    return added;
  }

  /** Tells whether a call was added before, by its first row, which has an `_id`. */
  #isRepeated(first: Buffer): boolean {
    const hash = crc32(first);
    if (this.#calls.has(hash)) return true;
    this.#calls.add(hash);
    const [oldest] = this.#calls;
    if (this.#calls.size > REMEMBERED_CALLS) this.#calls.delete(oldest as number);
    return false;
  }
}

/** The name of a target in profiles and verdicts. */
export const targetOf = ({ store, database, name }: Target): string =>
  name === null ? store : `${store}:${database ? `${database}.` : ''}${name}`;

const skippedReason = (target: string, known: number, stored: number): string =>
  `Trawl has read ${known} of the ${stored} rows that the run stored in ${target}. It reads rows of dataset.push, insertMany and postgres.insertMany in up to ${MAX_TARGETS} collections and tables, and forgets those before a restart of the backend.`;

function changedReason({ updated, deleted, ...target }: RunWrite): string {
  const counts = [updated > 0 && `changed ${updated}`, deleted > 0 && `deleted ${deleted}`].filter(Boolean);
  const rows = updated + deleted === 1 ? 'row' : 'rows';
  return `The run ${counts.join(' and ')} ${rows} in ${targetOf(target)}. Trawl judges only rows that a run adds with dataset.push, insertMany or postgres.insertMany.`;
}
