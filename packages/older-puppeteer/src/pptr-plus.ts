import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CookieParam, ElementHandle, Frame, Page } from 'puppeteer-core';
import { withText } from './xpath.js';

type StorageType = 'localStorage' | 'sessionStorage';

interface ScrollCounter {
  /** Pixels above the visible part. */
  scrollTop: number;
  scrollCounter: number;
}

const SCREENSHOT_QUALITY = 70;
/** Pause of `autoscroll` before it goes up again. */
const UP_AFTER_MS = 700;
/** Longest wait of `clickElemWithText` for its element. */
const CLICK_TIMEOUT_MS = 13_000;

/**
 * The class that older skripts require as `pptr-plus`: common actions on a page. Selectors are CSS selectors, times are
 * milliseconds. A method that fills in or clicks an element waits for it, and throws a `TimeoutError` if the page gets
 * none within the default timeout of the page, which is 30 seconds unless the skript has changed it.
 */
export class PptrPlus {
  /** @param page a page, or a frame of it */
  constructor(public page: Page | Frame) {}

  /**
   * Scrolls to the last element that matches the selector, until the page adds none: until the text of the last element
   * is the same after a scroll. After each scroll, goes up by 10 pixels, because some pages load more only then.
   *
   * @returns the text of the last element, and the number of scrolls
   */
  async autoscroll(selector: string, delayMs = 3400): Promise<{ lastElemContent?: string; scrollCounter: number }> {
    const beforeUpMs = Math.min(delayMs, UP_AFTER_MS);
    let lastElemContent: string | undefined;
    for (let scrollCounter = 0; ; scrollCounter += 1) {
      await delay(delayMs - beforeUpMs);
      const text = await this.page.evaluate(scrollToLast, selector, lastElemContent);
      if (text === null || text === lastElemContent) return { lastElemContent, scrollCounter };
      lastElemContent = text;
      await delay(beforeUpMs);
      await this.page.evaluate(() => window.scrollBy(0, -10));
    }
  }

  /**
   * Scrolls until the element is at the start or the end of the visible part.
   *
   * @throws Error if the page has no such element
   */
  async scrollToElement(page: Page | Frame, selector: string, position: 'start' | 'end' = 'end'): Promise<void> {
    const isFound = await page.evaluate(scrollToFirst, selector, position);
    if (!isFound) throw new Error(`Element with selector "${selector}" not found.`);
  }

  /** Scrolls to the end of the page at once. With a number of milliseconds instead of a page, as `scrollToBottomEasy`. */
  async scrollToBottom(page: Page | Frame | number = this.page): Promise<ScrollCounter | undefined> {
    if (typeof page === 'number') return this.scrollToBottomEasy(page);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    return undefined;
  }

  /**
   * Scrolls by one screen at a time, until that changes nothing.
   *
   * @returns the last position, and the number of scrolls
   */
  async scrollToBottomEasy(delayMs = 100): Promise<ScrollCounter> {
    let scrollTop = -1;
    for (let scrollCounter = 0; ; scrollCounter += 1) {
      await delay(delayMs);
      const position = await this.page.evaluate(scrollByScreen);
      if (position === scrollTop) return { scrollTop, scrollCounter };
      scrollTop = position;
    }
  }

  /** Selects the option with this text; if there is none, the first option that contains it. */
  async selectOptionByText(selector: string, text: string): Promise<void> {
    const isFound = await (await this.#element(selector)).evaluate(selectOption, String(text));
    if (!isFound) throw new Error(`The list ${selector} has no option with the text '${text}'.`);
  }

  /** Selects the option with this value. Without one, the list stays as it is. */
  async selectOptionByValue(selector: string, value: string): Promise<void> {
    await this.#element(selector);
    await this.page.select(selector, String(value));
  }

  /**
   * Waits up to 13 seconds for an element with this text among those that the XPath expression finds, and clicks it with
   * the mouse. Only the element's own text counts, not that of elements in it.
   *
   * @param exact whether a part of the text must be equal; otherwise the first part must contain `text`
   */
  async clickElemWithText(xPath: string, text: string, exact = false): Promise<void> {
    const element = await this.#elementWithText(xPath, text, exact, CLICK_TIMEOUT_MS);
    await element.click();
  }

  /**
   * Like `clickElemWithText`, but only calls the listeners for clicks, also of elements that are covered by others. It
   * follows no link, submits no form and checks no box.
   */
  async clickElemWithText_bubles(xPath: string, text: string, exact = false): Promise<void> {
    const element = await this.#elementWithText(xPath, text, exact);
    await element.evaluate(node => node.dispatchEvent(new Event('click', { bubbles: true, cancelable: true })));
  }

  /**
   * Waits until the page shows the text.
   *
   * @throws TimeoutError
   */
  async checkTextOnPage(text: string): Promise<boolean> {
    await this.page.waitForFunction(part => document.body?.innerText.includes(part), {}, text);
    return true;
  }

  /**
   * Waits for a response from an address that contains the text.
   *
   * @throws TimeoutError
   */
  async waitURLContains(text: string): Promise<void> {
    await this.#ownPage.waitForResponse(response => response.url().includes(text));
  }

  async inputClear(selector: string): Promise<void> {
    await this.#setValues(selector, '');
  }

  /** Clicks into the field, then types on the keyboard. */
  async inputType(selector: string, value: string): Promise<void> {
    await (await this.#element(selector)).click();
    await this.#ownPage.keyboard.type(String(value));
  }

  /** Sets the value of a field. Of radio buttons and checkboxes, checks those with the value. */
  async inputSetValue(selector: string, value: string): Promise<void> {
    await this.#setValues(selector, String(value));
  }

  /** Saves a picture of the whole page as JPEG. Creates the folder. */
  async saveScreenshot(folder: string, name: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, name.endsWith('.jpg') ? name : `${name}.jpg`);
    const picture = await this.#ownPage.screenshot({ type: 'jpeg', quality: SCREENSHOT_QUALITY, fullPage: true });
    await writeFile(path, picture);
  }

  /** Returns the HTML of an element, with the element itself. */
  async elementHandle2HTML(handle: ElementHandle<Element>): Promise<string> {
    return handle.evaluate(element => element.outerHTML);
  }

  /** Saves the cookies of the page as JSON. Creates the folder of the file. */
  async cookieSave(path: string): Promise<void> {
    await saveJson(path, await this.#ownPage.cookies());
  }

  /** Sets the cookies that `cookieSave` saved. Returns false if there is no such file. */
  async cookieTake(path: string): Promise<boolean> {
    const cookies = (await loadJson(path)) as CookieParam[] | null;
    if (cookies === null) return false;
    await this.#ownPage.setCookie(...cookies);
    return true;
  }

  /** Saves the storage of the page as JSON. Creates the folder of the file. */
  async storageSave(path: string, type: StorageType = 'localStorage'): Promise<void> {
    await saveJson(path, await this.page.evaluate(kind => ({ ...window[kind] }), type));
  }

  /** Adds what `storageSave` saved to the storage of the page. Returns false if there is no such file. */
  async storageTake(path: string, type: StorageType = 'localStorage'): Promise<boolean> {
    const values = (await loadJson(path)) as Record<string, string> | null;
    if (values === null) return false;
    const fill = (kind: StorageType, entries: [string, string][]) => {
      for (const [key, value] of entries) window[kind].setItem(key, value);
    };
    await this.page.evaluate(fill, type, Object.entries(values));
    return true;
  }

  /** The page itself if a frame was given. */
  get #ownPage(): Page {
    return 'mainFrame' in this.page ? this.page : this.page.page();
  }

  async #setValues(selector: string, value: string): Promise<void> {
    await this.#element(selector);
    await this.page.$$eval(selector, setValues, value);
  }

  /** Waits for an element. @throws TimeoutError */
  async #element(selector: string): Promise<ElementHandle<Element>> {
    return (await this.page.waitForSelector(selector)) as ElementHandle<Element>;
  }

  async #elementWithText(xPath: string, text: string, exact: boolean, timeout?: number) {
    const options = timeout === undefined ? {} : { timeout };
    const element = await this.page.waitForSelector(`xpath/${withText(xPath, text, exact)}`, options);
    return element as ElementHandle<Element>;
  }
}

async function saveJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(value, null, 2));
}

/** Returns null if there is no such file. */
async function loadJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not valid JSON: ${(error as Error).message}.`);
  }
}

// The functions below are executed in the page, so they can use nothing from this file.

/** Scrolls unless the text of the last element was seen before. Returns the text; null if there is no element. */
function scrollToLast(selector: string, seen?: string): string | null {
  const last = [...document.querySelectorAll(selector)].at(-1);
  const text = last?.textContent ?? null;
  if (text !== seen) last?.scrollIntoView({ behavior: 'instant' });
  return text;
}

/** Returns false if there is no element. */
function scrollToFirst(selector: string, block: 'start' | 'end'): boolean {
  const element = document.querySelector(selector);
  element?.scrollIntoView({ block, behavior: 'instant' });
  return element !== null;
}

/** Returns the position after the scroll. */
function scrollByScreen(): number {
  window.scrollBy({ top: window.innerHeight, behavior: 'instant' });
  return document.documentElement.scrollTop;
}

/** Returns false if the list has no such option. */
function selectOption(list: Element, wanted: string): boolean {
  const options = [...(list as HTMLSelectElement).options];
  const option = options.find(({ text }) => text === wanted) ?? options.find(({ text }) => text.includes(wanted));
  if (!option) return false;
  option.selected = true;
  for (const event of ['input', 'change']) list.dispatchEvent(new Event(event, { bubbles: true }));
  return true;
}

function setValues(elements: Element[], value: string): void {
  for (const element of elements as HTMLInputElement[]) {
    const { type, checked } = element;
    if (type === 'radio' || type === 'checkbox') {
      if (element.value === value && !checked) element.click();
      continue;
    }
    // Frameworks such as React replace the property `value` of an element; the original one is in its class.
    const original = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value');
    original?.set?.call(element, value);
    for (const event of ['input', 'change']) element.dispatchEvent(new Event(event, { bubbles: true }));
  }
}
