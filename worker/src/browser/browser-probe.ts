import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumReleasedAt, isChromiumOld } from '@trawl/contracts';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Chromium } from '../executor/port/chromium.js';
import type { Executor } from '../executor/port/executor.js';
import { runProbe } from '../executor/probe/probe-run.js';

const TIMEOUT_MS = 30_000;

const SKRIPT = `module.exports = async () => {
  const browser = await require('puppeteer').launch();
  return browser.version();
};`;

const savedSchema = z.object({ key: z.string(), version: z.string() });

/**
 * Tests whether runs can use this Chromium: starts it in a run. A success is saved in the worker's folder and counts
 * until the Chromium or the sandbox changes. Returns the version of the Chromium, such as `143.0.7499.40`; null if runs
 * cannot use it.
 */
export async function probeBrowser(
  executor: Executor,
  chromium: Chromium,
  folder: string,
  log: Logger,
): Promise<string | null> {
  const { executable } = chromium;
  const file = join(folder, 'browser-started');
  const key = JSON.stringify([executable, statSync(executable).mtimeMs, executor.level, executor.layers]);
  const saved = await readSaved(file);
  if (saved?.key === key) return checked(saved.version, log);
  try {
    const answer = await runProbe(executor, { environment: 'browser', code: SKRIPT, timeoutMs: TIMEOUT_MS });
    const version = /[\d.]+$/.exec(String(answer))?.[0] ?? String(answer);
    log.info({ chromium: executable, version }, 'browser probe succeeded');
    await writeFile(file, JSON.stringify({ key, version }), { mode: 0o600 });
    return checked(version, log);
  } catch (error) {
    log.warn(
      { chromium: executable, reason: error instanceof Error ? error.message : String(error) },
      'browser probe failed: this worker does not offer the environment browser; set CHROME_PATH to another Chromium or Chrome',
    );
    return null;
  }
}

/** Returns the last success; null if there is none or the file is from an older version. */
async function readSaved(file: string): Promise<z.infer<typeof savedSchema> | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return savedSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // the probe runs again
  }
}

function checked(version: string, log: Logger): string {
  if (isChromiumOld(version)) {
    log.warn({ version, released_at: chromiumReleasedAt(version) }, 'Chromium is old and has known holes; update it');
  }
  return version;
}
