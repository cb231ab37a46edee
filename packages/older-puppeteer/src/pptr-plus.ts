import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CookieParam, ElementHandle, Frame, Page } from 'puppeteer-core';
import { withText } from './xpath.js';

type StorageType = 'localStorage' | 'sessionStorage';

const SCREENSHOT_QUALITY = 70;

/**
 * The class that older skripts require as `pptr-plus`: common actions on a page. Selectors are CSS selectors, times are
 * milliseconds. A method that needs an element waits for it, and throws a `TimeoutError` if the page gets none within the
 * default timeout of the page, which is 30 seconds unless the skript has changed it.
 */
export class PptrPlus {
  /** @param page a page, or a frame of it */
  constructor(public page: Page | Frame) {}

  /**
   * Scrolls to the last element that matches the selector, until the page adds none: until the text of the last element
   * is the same after a scroll.
   */
  async autoscroll(selector: string, delayMs = 3400): Promise<void> {
    for (let last: string | null = null; ; ) {
      const text = await this.page.evaluate(scrollToLast, selector);
      if (text === null || text === last) return;
      last = text;
      await delay(delayMs);
    }
  }

  /** Scrolls until the element is at the start or the end of the visible part. */
  async scrollToElement(page: Page | Frame, selector: string, position: 'start' | 'end' = 'start'): Promise<void> {
    const scroll = (element: Element, block: 'start' | 'end') => element.scrollIntoView({ block, behavior: 'instant' });
    await (await this.#element(selector, page)).evaluate(scroll, position);
  }

  /** Scrolls to the end of the page at once. With a number of milliseconds instead of a page, as `scrollToBottomEasy`. */
  async scrollToBottom(page: Page | Frame | number = this.page): Promise<void> {
    if (typeof page === 'number') return this.scrollToBottomEasy(page);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  }

  /** Scrolls to the end of the page by one screen at a time. */
  async scrollToBottomEasy(delayMs = 100): Promise<void> {
    while (!(await this.page.evaluate(scrollByScreen))) await delay(delayMs);
  }

  /** Selects the option with this text; if there is none, the first option that contains it. */
  async selectOptionByText(selector: string, text: string): Promise<void> {
    await this.#select(selector, 'text', text);
  }

  async selectOptionByValue(selector: string, value: string): Promise<void> {
    await this.#select(selector, 'value', value);
  }

  /**
   * Waits for an element with this text among those that the XPath expression finds, and clicks it with the mouse.
   *
   * @param exact whether the text of the element must be equal; otherwise it must contain `text`
   */
  async clickElemWithText(xPath: string, text: string, exact = false): Promise<void> {
    const element = await this.#elementWithText(xPath, text, exact);
    await element.click();
  }

  /** Like `clickElemWithText`, but dispatches a click event, which also reaches elements that are covered by others. */
  async clickElemWithText_bubles(xPath: string, text: string, exact = false): Promise<void> {
    const element = await this.#elementWithText(xPath, text, exact);
    await element.evaluate(node => node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })));
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

  /** Types on the keyboard, after what the field contains already. */
  async inputType(selector: string, value: string): Promise<void> {
    await (await this.#element(selector)).type(String(value));
  }

  /** Sets the value of a field. Of radio buttons and checkboxes, checks those with the value, and no others. */
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

  async #select(selector: string, by: 'text' | 'value', wanted: string): Promise<void> {
    const isFound = await (await this.#element(selector)).evaluate(selectOption, by, String(wanted));
    if (!isFound) throw new Error(`The list ${selector} has no option with the ${by} '${wanted}'.`);
  }

  async #setValues(selector: string, value: string): Promise<void> {
    await this.#element(selector);
    await this.page.$$eval(selector, setValues, value);
  }

  /** Waits for an element. @throws TimeoutError */
  async #element(selector: string, page = this.page): Promise<ElementHandle<Element>> {
    return (await page.waitForSelector(selector)) as ElementHandle<Element>;
  }

  async #elementWithText(xPath: string, text: string, exact: boolean): Promise<ElementHandle<Element>> {
    const element = await this.page.waitForSelector(`xpath/${withText(xPath, text, exact)}`);
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

/** Returns the text of the last element; null if there is no element. */
function scrollToLast(selector: string): string | null {
  const last = [...document.querySelectorAll(selector)].at(-1);
  last?.scrollIntoView({ block: 'end', behavior: 'instant' });
  return last?.textContent ?? null;
}

/** Returns true when the end of the page is visible. */
function scrollByScreen(): boolean {
  window.scrollBy({ top: window.innerHeight, behavior: 'instant' });
  return window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1;
}

/** Returns false if the list has no such option. */
function selectOption(list: Element, by: 'text' | 'value', wanted: string): boolean {
  const options = [...(list as HTMLSelectElement).options];
  const option =
    options.find(({ [by]: own }) => own === wanted) ??
    (by === 'text' ? options.find(({ text }) => text.includes(wanted)) : undefined);
  if (!option) return false;
  option.selected = true;
  for (const event of ['input', 'change']) list.dispatchEvent(new Event(event, { bubbles: true }));
  return true;
}

function setValues(elements: Element[], value: string): void {
  for (const element of elements as HTMLInputElement[]) {
    const { type, checked } = element;
    if (type === 'radio' || type === 'checkbox') {
      const isWanted = element.value === value;
      // A click unchecks a checkbox, but no radio button.
      if (checked !== isWanted && (isWanted || type === 'checkbox')) element.click();
      continue;
    }
    // Frameworks such as React replace the property `value` of an element; the original one is in its class.
    const original = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value');
    original?.set?.call(element, value);
    for (const event of ['input', 'change']) element.dispatchEvent(new Event(event, { bubbles: true }));
  }
}
