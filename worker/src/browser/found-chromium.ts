import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Chromium } from '../executor/port/chromium.js';

const VERSION_MS = 30_000;

export interface FoundChromium extends Chromium {
  /** Such as `156.0.8078.79`; null if it did not say. */
  version: string | null;
}

/** Asks a Chromium for its version, which also shows that it finds its libraries. Null if it does not say. */
export async function versionOf({ executable, variables }: Chromium): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['--version'], {
      env: { PATH: process.env.PATH, ...variables },
      timeout: VERSION_MS,
    });
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Compares two versions by their numbers. A version that is not known is the oldest. */
export function compareVersions(a: string | null, b: string | null): number {
  const [left, right] = [a, b].map(version => (version ?? '').split('.').map(Number));
  for (let n = 0; n < 4; n += 1) {
    const difference = (left?.[n] ?? 0) - (right?.[n] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
