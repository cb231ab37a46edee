import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(createRequire(join(process.cwd(), 'e2e/package.json')).resolve('axe-core/axe.min.js'), 'utf8');
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 360, height: 740 };

/** `colours` are the rules whose result depends on the colour scheme. */
export type AxeRules = 'all' | 'colours';

/** Returns the problems that axe finds on the current page, or in the element of a selector. */
export async function axeProblems(page: Page, rules: AxeRules = 'all', within?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  // The page hears of a new colour scheme before its next frame. Colours in a transition would be measured halfway.
  await page.evaluate(async () => {
    await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  return page.evaluate(
    async (isColoursOnly, selector) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(selector ?? document, {
        resultTypes: ['violations'],
        // Nothing reads them, and they take a fifth of the time.
        selectors: false,
        ...(isColoursOnly && { runOnly: ['color-contrast', 'link-in-text-block'] }),
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    },
    rules === 'colours',
    within,
  );
}

/**
 * Returns the problems that axe finds on the current page in a phone's width, in light and dark, and by how many pixels
 * the page scrolls sideways.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  await page.setViewport(PHONE);
  const found = await schemeProblems(page);
  const sideways = await sidewaysProblems(page);
  await page.emulateMediaFeatures([]);
  await page.setViewport(DESKTOP);
  return [...found, ...sideways];
}

/** Returns by how many pixels the page scrolls sideways, and choices side by side of which it cuts some off. */
export async function sidewaysProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const sideways = document.documentElement.scrollWidth - innerWidth;
    const cut = [...document.querySelectorAll<HTMLElement>('[role="radiogroup"]')].filter(
      ({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1,
    );
    return [
      ...(sideways > 0 ? [`sideways by ${sideways} px`] : []),
      ...cut.map(({ innerText }) => `choices cut off: ${innerText}`),
    ];
  });
}

/** Draws the page in a colour scheme, without motion. */
export const drawIn = (page: Page, scheme: 'light' | 'dark'): Promise<void> =>
  page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);

/**
 * Returns the problems that axe finds on the current page in light and dark. In dark it checks only colours, because
 * all else is the same.
 */
export async function schemeProblems(page: Page, within?: string): Promise<string[]> {
  const found: string[] = [];
  for (const [scheme, rules] of [
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const) {
    await drawIn(page, scheme);
    found.push(...(await axeProblems(page, rules, within)).map(problem => `${scheme}: ${problem}`));
  }
  return found;
}
