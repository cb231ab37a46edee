import type { ElementHandle, Page } from 'puppeteer-core';
import { DESKTOP, PHONE, problemsIn } from '../harness/browser/accessibility.js';
import type { PanelPage } from '../harness/browser/panel-page.js';

const IS_SETTLED = () =>
  document.querySelector('h1, [role="dialog"]') !== null &&
  document.querySelector(':root[data-loading], [aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root') ===
    null;
const IS_CLOSED = () => !document.querySelector('[role="dialog"], [role="menu"], .mantine-Overlay-root');

/**
 * Checks a page of the panel in all its states, in light and dark, on a desktop and a phone: its tabs and their views, its
 * menus and the dialogs that these open, and the first row of a list.
 */
export class Visit {
  readonly found: string[] = [];

  constructor(
    private readonly panel: PanelPage,
    private readonly place: string,
  ) {}

  get #page(): Page {
    return this.panel.page;
  }

  async page(url: string, opens: string[] = []): Promise<void> {
    await this.#page.goto(url);
    await this.#tab('');
    for (const name of opens) await this.dialog(name, () => this.panel.button(name));
    const tabs = await this.#page.$$eval('main [role="tab"]', all => all.map(({ id }) => id));
    for (const id of tabs) {
      const tab = await this.#page.waitForSelector(`[id="${id}"]`);
      const isOpen = await tab?.evaluate(({ ariaSelected }) => ariaSelected === 'true');
      if (isOpen) continue;
      await tab?.click();
      await this.#tab(` ${await textOf(tab)}`);
    }
  }

  async #tab(name: string): Promise<void> {
    await this.#view(name);
    const others = 'nav.views a:not([aria-current])';
    const hrefs = await this.#page.$$eval(others, links => links.map(link => link.getAttribute('href')));
    for (const href of hrefs) {
      const link = await this.#page.waitForSelector(`nav.views a[href="${href}"]`);
      await link?.click();
      await this.#view(`${name} ${await textOf(link)}`);
    }
  }

  async #view(name: string): Promise<void> {
    await this.#check(name);
    for (const button of await this.#menuButtons()) await this.#menu(button, name);
  }

  /** Checks the page as it is. */
  async #check(state: string): Promise<void> {
    await this.#page.waitForFunction(IS_SETTLED);
    for (const viewport of [PHONE, DESKTOP]) {
      const problems = await problemsIn(this.#page, viewport);
      this.found.push(...problems.map(problem => `${this.place}${state}, ${viewport.width} px, ${problem}`));
    }
  }

  /** Returns the name of a button of each kind of menu: the rows of a list have the same one. */
  async #menuButtons(): Promise<string[]> {
    const names = await this.#page.$$eval('main button[aria-haspopup="menu"]:enabled', buttons =>
      buttons.map(({ ariaLabel, textContent }) => ariaLabel ?? textContent ?? ''),
    );
    return [...new Map(names.reverse().map(name => [name.replace(/ for .*/, ''), name])).values()];
  }

  async #menu(button: string, view: string): Promise<void> {
    const place = `${view}, menu ${button}`;
    // A list that loads anew replaces its buttons, so look for the button each time.
    const open = async () => {
      await this.panel.button(button);
      await this.#page.waitForSelector('[role="menu"]');
    };
    await open();
    await this.#check(place);
    const asks = '[role="menuitem"]:not([href], [disabled], [data-disabled])';
    const names = await this.#page.$$eval(asks, items => items.map(({ textContent }) => textContent ?? ''));
    await this.#close();
    for (const name of names.filter(text => text.endsWith('…'))) {
      await this.dialog(`${place}, ${name}`, async () => {
        await open();
        await this.panel.press(`::-p-aria(${name}[role="menuitem"])`);
      });
    }
  }

  /** Checks what `open` opens, and closes it. */
  async dialog(name: string, open: () => Promise<void>): Promise<void> {
    await open();
    await this.#page.waitForSelector('[role="dialog"]');
    await this.#check(` ${name}`);
    await this.#close();
  }

  async #close(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#page.waitForFunction(IS_CLOSED);
  }
}

const textOf = async (element: ElementHandle<Element> | null): Promise<string> =>
  (await element?.evaluate(({ textContent }) => textContent ?? '')) ?? '';
