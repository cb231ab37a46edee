import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '@trawl/contracts';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import type { PlatformClient } from '../platform-client.js';
import { chromiumForFile, openPage } from './chromium.js';

const ARTIFACTS = 'e2e/artifacts';

/** A page of a real Chromium, in which an end-to-end test uses the panel. */
export class PanelPage {
  page!: Page;
  /** Uncaught errors of the pages' scripts, and errors in the pages' consoles. */
  readonly problems: string[] = [];

  async open(browser: Browser | BrowserContext): Promise<void> {
    this.page = await openPage(browser);
    // Skips transitions, which take longer than most steps of a test, and draws no loaders in motion.
    await this.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    this.page.on('pageerror', error => this.problems.push(String(error)));
    this.page.on('console', message => message.type() === 'error' && this.problems.push(message.text()));
  }

  async shows(text: string): Promise<void> {
    await this.page.waitForSelector(`::-p-text(${text})`);
  }

  /** Clicks an element, once no dialog that is closing covers it and would take the click. */
  press(selector: string): Promise<void> {
    return this.page
      .locator(selector)
      .filter(element => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const cover = document.elementFromPoint(x + width / 2, y + height / 2);
        const dialog = cover?.closest('.mantine-Overlay-root, .mantine-Modal-root, .mantine-Drawer-root');
        return !dialog || dialog.contains(element);
      })
      .click();
  }

  button(name: string): Promise<void> {
    return this.press(`::-p-aria(${name}[role="button"])`);
  }

  /** Replaces the text of the code editor at once, like a paste: if it were typed, the editor would add brackets. */
  async replaceCode(text: string, selector = '.cm-content'): Promise<void> {
    const editor = await this.page.waitForSelector(selector);
    await editor?.click();
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.sendCharacter(text);
  }

  async signIn(platform: PlatformClient, role: Role = 'developer'): Promise<void> {
    await this.page.goto(`${platform.url}/panel/login`);
    await this.fillSignIn(platform, role);
    await this.page.waitForFunction(path => location.pathname === path, {}, `/panel/${role}/dashboard`);
  }

  /** Signs in on the sign-in page, which then leads to where the user was. */
  async fillSignIn(platform: PlatformClient, role: Role = 'developer'): Promise<void> {
    const { username, password } = platform.credential(role);
    await this.page.locator('::-p-aria(Username or e-mail)').fill(username);
    await this.page.locator('::-p-aria(Password)').fill(password);
    await this.press('::-p-aria(Sign in[role="button"])');
  }
}

/** Opens a page for the tests of the calling file, and saves a picture of it after the last test. */
export function panelPage(story: string): PanelPage {
  const panel = new PanelPage();
  // Jest runs these in the order of their declarations, so this is before the one that closes Chromium.
  afterAll(async () => {
    mkdirSync(ARTIFACTS, { recursive: true });
    await panel.page?.screenshot({ path: join(ARTIFACTS, `${story}-last-page.png`) as `${string}.png` });
  });
  const chromium = chromiumForFile();
  beforeAll(() => panel.open(chromium.browser));
  return panel;
}
