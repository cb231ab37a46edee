import { execFileSync } from 'node:child_process';
import type { Page } from 'puppeteer-core';

const INSTALL = `globalThis.pageClock = require('@sinonjs/fake-timers').install({ toFake: ['setTimeout', 'clearTimeout'] });`;

let script: string | undefined;

/** Stops the time of a page's timers from now on; they then go on only as `tick` says. */
export async function stopClock(page: Page): Promise<{ tick: (ms: number) => Promise<void> }> {
  // In a process of its own: esbuild does not work inside of Jest.
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
