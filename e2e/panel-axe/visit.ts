import type { Page } from 'puppeteer-core';
import {
  axeProblems,
  DESKTOP,
  drawIn,
  PHONE,
  schemeProblems,
  sidewaysProblems,
} from '../harness/browser/accessibility.js';
import type { PanelPage } from '../harness/browser/panel-page.js';

const IS_SETTLED = () =>
  document.querySelector('h1') !== null &&
  document.querySelector(
    ':root[data-loading], main [aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root',
  ) === null;
const DIALOG = '[role="dialog"]';
const MENU = '[role="menu"]';
const IS_CLOSED = () => !document.querySelector('[role="dialog"], [role="menu"], .mantine-Overlay-root');
/** Items that open a dialog. */
const ASKS = `${MENU} [role="menuitem"]:not([href], [disabled], [data-disabled])`;

/**
 * Checks a page of the panel in light and dark, on a desktop and a phone: its tabs and their views, its menus and the
 * dialogs that these open. Colours in dark are checked in one width, because they are the same in the other.
 */
export class Visit {
  readonly found: string[] = [];
  readonly #seen = new Set<string>();

  constructor(
    private readonly panel: PanelPage,
    private readonly place: string,
  ) {}

  get #page(): Page {
    return this.panel.page;
  }

  /** Checks what the address shows first. */
  async first(url: string): Promise<void> {
    await this.#page.goto(url);
    await this.#view('');
  }

  /** Checks what the address shows first, what buttons open, and all tabs. */
  async all(url: string, opens: string[] = []): Promise<void> {
    await this.#page.goto(url);
    await this.#tab('');
    for (const name of opens) await this.#dialog(` ${name}`, () => this.panel.button(name));
    const tabs = await this.#page.$$eval('main [role="tab"]', all =>
      all.map(({ id, ariaSelected, textContent }) => ({ id, name: textContent, isOpen: ariaSelected === 'true' })),
    );
    for (const { id, name, isOpen } of tabs) {
      if (isOpen) continue;
      await this.panel.press(`[id="${id}"]`);
      await this.#page.waitForSelector(`[id="${id}"][aria-selected="true"]`);
      await this.#tab(` ${name}`);
    }
  }

  async #tab(name: string): Promise<void> {
    await this.#view(name);
    const links = await this.#page.$$eval('nav.views a:not([aria-current])', all =>
      all.map(link => ({ href: link.getAttribute('href'), text: link.textContent })),
    );
    for (const { href, text } of links) {
      await this.panel.press(`nav.views a[href="${href}"]`);
      await this.#page.waitForSelector(`nav.views a[href="${href}"][aria-current]`);
      await this.#view(`${name} ${text}`);
    }
  }

  async #view(name: string): Promise<void> {
    await this.#check(name);
    for (const button of await this.#newMenuButtons()) await this.#menu(button, name);
  }

  /** Checks the page as it is, or an element of it. Afterwards the page is as wide as a desktop. */
  async #check(state: string, within?: string): Promise<void> {
    await this.#page.waitForFunction(IS_SETTLED);
    await this.#page.setViewport(PHONE);
    const onPhone = [...(await schemeProblems(this.#page, within)), ...(await sidewaysProblems(this.#page))];
    await this.#page.setViewport(DESKTOP);
    await drawIn(this.#page, 'light');
    const onDesktop = [...(await axeProblems(this.#page, 'all', within)), ...(await sidewaysProblems(this.#page))];
    const add = (width: string, problems: string[]) =>
      this.found.push(...problems.map(problem => `${this.place}${state}, ${width}, ${problem}`));
    add('phone', onPhone);
    add('desktop', onDesktop);
  }

  /** Returns the name of a button of each kind of menu: the rows of a list have the same one. */
  async #newMenuButtons(): Promise<string[]> {
    const names = await this.#page.$$eval('main button[aria-haspopup="menu"]:enabled', buttons =>
      buttons.filter(button => button.checkVisibility()).map(({ ariaLabel, textContent }) => ariaLabel ?? textContent),
    );
    return names.filter((name): name is string => {
      const kind = (name ?? '').replace(/ for .*/, '');
      const isNew = name !== null && !this.#seen.has(kind);
      this.#seen.add(kind);
      return isNew;
    });
  }

  async #menu(button: string, view: string): Promise<void> {
    const place = `${view}, menu ${button}`;
    // A list that loads anew replaces its buttons, so look for the button each time.
    const open = async () => {
      await this.panel.button(button);
      await this.#page.waitForSelector(MENU);
    };
    await open();
    const problems = await schemeProblems(this.#page, MENU);
    this.found.push(...problems.map(problem => `${this.place}${place}, ${problem}`));
    const names = await this.#page.$$eval(ASKS, items => items.map(({ textContent }) => textContent ?? ''));
    await this.#close();
    for (const name of names.filter(text => text.endsWith('…'))) {
      await this.#dialog(`${place}, ${name}`, async () => {
        await open();
        await this.panel.press(`::-p-aria(${name}[role="menuitem"])`);
      });
    }
  }

  /** Checks what `open` opens, and closes it. */
  async #dialog(name: string, open: () => Promise<void>): Promise<void> {
    await open();
    await this.#page.waitForSelector(DIALOG);
    await this.#check(name, DIALOG);
    await this.#close();
  }

  async #close(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#page.waitForFunction(IS_CLOSED);
  }
}
