import axe from 'axe-core';
import type { Page } from 'puppeteer-core';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };

/** Returns the problems that axe finds on the current page. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // Colours in a transition would be measured halfway.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {}),
  );
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/**
 * Returns the problems that axe finds on the current page in a phone's width, in light and dark, and by how many pixels
 * the page scrolls sideways.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.setViewport(PHONE);
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    found.push(...(await axeProblems(page)).map(problem => `${scheme}: ${problem}`));
  }
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.emulateMediaFeatures([]);
  await page.setViewport(DESKTOP);
  return sideways > 0 ? [...found, `sideways by ${sideways} px`] : found;
}
