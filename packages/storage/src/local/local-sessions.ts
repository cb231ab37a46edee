import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../protocol/document.js';
import { rejected } from './values.js';

/** How long a run may take to log in before another may try, as on the platform. */
const LEASE_MS = 300_000;

interface StoredSession {
  version: string;
  /** JSON text. */
  value: string;
}

/** Where sessions are kept. */
export type SessionPlace = Pick<Map<string, StoredSession>, 'get' | 'set'>;

/** Keeps each session in a file that only the user of this process can read. */
export function sessionsIn(folder: string): SessionPlace {
  const pathOf = (name: string) => join(folder, `${name}.json`);
  const place: SessionPlace = {
    get: name => {
      try {
        return JSON.parse(readFileSync(pathOf(name), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        if (!(error instanceof SyntaxError)) throw error;
        throw rejected(`${pathOf(name)} is no session. Delete the file, and log in again.`);
      }
    },
    set: (name, session) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(name);
      // A kill leaves either the old file or the new one.
      writeFileSync(`${path}.new`, JSON.stringify(session), { mode: 0o600 });
      chmodSync(`${path}.new`, 0o600);
      renameSync(`${path}.new`, path);
      return place as Map<string, StoredSession>;
    },
  };
  return place;
}

/** Answers the calls on sessions outside the platform. The lease ends with the process. */
export class LocalSessions {
  readonly #leases = new Map<string, { holder: string; until: number }>();

  constructor(private readonly place: SessionPlace) {}

  answer(name: string, method: string, args: Document): object {
    if (method === 'openSession') return this.#open(name, args);
    if (method === 'saveSession') return this.#save(name, args);
    if (method !== 'releaseSession') throw rejected(`Local files do not support ${method}.`);
    this.#release(name, args.holder);
    return {};
  }

  #open(name: string, { version, holder }: Document): object {
    const stored = this.place.get(name);
    const taken = typeof holder === 'string' && this.#isFreeFor(name, holder);
    if (taken) this.#leases.set(name, { holder, until: Date.now() + LEASE_MS });
    return {
      version: stored?.version ?? null,
      taken,
      ...(stored && stored.version !== version && { value: stored.value }),
    };
  }

  #save(name: string, { value, version, new_version, holder }: Document): object {
    const stored = this.place.get(name)?.version ?? null;
    if (stored === new_version) return { saved: true };
    if (stored !== version || !this.#isFreeFor(name, holder)) return { saved: false };
    this.place.set(name, { version: new_version, value } as StoredSession);
    this.#release(name, holder);
    return { saved: true };
  }

  #isFreeFor(name: string, holder: unknown): boolean {
    const lease = this.#leases.get(name);
    if (lease && lease.holder !== holder && lease.until >= Date.now()) return false;
    if (lease && lease.holder !== holder) this.#leases.delete(name);
    return true;
  }

  #release(name: string, holder: unknown): void {
    if (this.#leases.get(name)?.holder === holder) this.#leases.delete(name);
  }
}
