import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Chromium } from '../executor/port/chromium.js';
import type { Executor } from '../executor/port/executor.js';
import { runProbe } from '../executor/probe/probe-run.js';

const TIMEOUT_MS = 30_000;

const SKRIPT = `module.exports = async () => {
  const browser = await require('puppeteer').launch();
  return browser.version();
};`;

/**
 * Tests whether runs can use this Chromium: starts it in a run. A success is saved in the worker's folder and counts
 * until the Chromium or the sandbox changes.
 */
export async function probeBrowser(
  executor: Executor,
  chromium: Chromium,
  folder: string,
  log: Logger,
): Promise<boolean> {
  const { executable } = chromium;
  const file = join(folder, 'browser-started');
  const cacheKey = JSON.stringify([executable, statSync(executable).mtimeMs, executor.level, executor.layers]);
  if ((await readFile(file, 'utf8').catch(() => '')) === cacheKey) return true;
  try {
    const version = await runProbe(executor, { environment: 'browser', code: SKRIPT, timeoutMs: TIMEOUT_MS });
    log.info({ chromium: executable, version }, 'browser probe succeeded');
    await writeFile(file, cacheKey, { mode: 0o600 });
    return true;
  } catch (error) {
    log.warn(
      { chromium: executable, reason: error instanceof Error ? error.message : String(error) },
      'browser probe failed: this worker does not offer the environment browser; set CHROME_PATH to another Chromium or Chrome',
    );
    return false;
  }
}
