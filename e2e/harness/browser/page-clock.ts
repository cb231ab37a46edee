import { execFileSync } from 'node:child_process';
import type { Page } from 'puppeteer-core';

const INSTALL = `globalThis.pageClock = require('@sinonjs/fake-timers').install({ toFake: ['setTimeout', 'clearTimeout'] });`;

let script: string | undefined;

/** Stops the clock of a page's timers. From then on, only `tick` moves their time forward. */
export async function stopClock(page: Page): Promise<{ tick: (ms: number) => Promise<void> }> {
  // esbuild runs in its own process, because it does not work inside Jest.
  script ??= execFileSync(
    process.execPath,
    [
      'node_modules/esbuild/bin/esbuild',
      '--bundle',
      '--platform=browser',
      '--external:timers',
      '--external:timers/promises',
      '--external:util',
    ],
    { input: INSTALL, encoding: 'utf8' },
  );
  await page.evaluate(script);
  return { tick: async ms => void (await page.evaluate(`pageClock.tickAsync(${ms}).then(() => undefined)`)) };
}
