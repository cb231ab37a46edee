import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { openPage } from '../harness/browser/chromium.js';

export interface Message {
  kind: string;
  text: string;
}

type Handler = (request: HTTPRequest) => Promise<void> | void;

/** A page with one of the site's forms. It has a browser context of its own, so the site sees a new visitor. */
export class FormPage {
  /** The requests that the page sent to the API, in order. */
  readonly requests: HTTPRequest[] = [];
  /** Errors of the page's scripts. */
  readonly problems: string[] = [];
  #handlers = new Map<string, Handler>();

  private constructor(readonly page: Page) {}

  /** @param typedWhileLoading values that the visitor enters before the page's scripts have run */
  static async open(
    browser: Browser,
    address: string,
    { typedWhileLoading = {} }: { typedWhileLoading?: Record<string, string> } = {},
  ): Promise<FormPage> {
    const page = await openPage(await browser.createBrowserContext());
    const form = new FormPage(page);
    page.on('pageerror', error => form.problems.push(String(error)));
    page.on('request', request => void form.#intercept(request));
    await page.setRequestInterception(true);
    // Skips the entrance animations, which take longer than the tests.
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    // Replace random numbers by a fixed sequence, because two random sums could be equal.
    await page.evaluateOnNewDocument(() => {
      let drawn = 0;
      Math.random = () => {
        drawn = (drawn + 37) % 100;
        return drawn / 100;
      };
    });
    await page.evaluateOnNewDocument(values => {
      new MutationObserver((_records, observer) => {
        for (const [name, value] of Object.entries(values)) {
          const field = document.querySelector<HTMLInputElement>(`form [name="${name}"]`);
          if (!field) return;
          field.value = value;
        }
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    }, typedWhileLoading);
    await page.goto(address);
    await page.waitForSelector('form button[type="submit"]:enabled');
    return form;
  }

  /** From now on `handler` responds to the requests for this path of the API, and the server does not get them. */
  answer(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  answerJson(path: string, status: number, body: object): void {
    this.answer(path, request =>
      request.respond({ status, contentType: 'application/json', body: JSON.stringify(body) }),
    );
  }

  /** From now on, requests for this path of the API get no response. */
  hold(path: string): void {
    this.answer(path, () => {});
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const field = await this.page.$(`form [name="${name}"]`);
      if ((await field?.evaluate(element => element.tagName)) === 'SELECT') await field?.select(value);
      else {
        await field?.click({ count: 3 });
        await this.page.keyboard.press('Backspace');
        // The text is inserted at once, like a paste, because it takes long to type a long message.
        await this.page.keyboard.sendCharacter(value);
      }
    }
  }

  async submit(): Promise<void> {
    await this.page.click('form button[type="submit"]');
  }

  /** Returns the message that the form shows. If there is none yet, waits for it. */
  async message(): Promise<Message> {
    await this.page.waitForSelector('form [role="status"]:not(:empty)');
    return (await this.messageNow()) as Message;
  }

  messageNow(): Promise<Message | null> {
    return this.page.$eval('form [role="status"]', element =>
      element.textContent ? { kind: (element as HTMLElement).dataset.kind ?? '', text: element.textContent } : null,
    );
  }

  /** Waits until sending has succeeded or failed. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('form button[type="submit"]:enabled');
  }

  /** Returns the first request for this path. If the page has not sent it yet, waits for it. */
  async requested(path: string): Promise<HTTPRequest> {
    const matches = (request: HTTPRequest) =>
      new URL(request.url()).pathname === path && request.method() !== 'OPTIONS';
    return this.requests.find(matches) ?? this.page.waitForRequest(matches);
  }

  paths(): string[] {
    return this.requests.map(request => new URL(request.url()).pathname);
  }

  /** Returns the fields that are marked as invalid: for each field name the text that describes the field. */
  invalid(): Promise<Record<string, string>> {
    return this.page.$$eval('form [aria-invalid="true"]', elements =>
      Object.fromEntries(
        elements.map(element => {
          const [first = ''] = (element.getAttribute('aria-describedby') ?? '').split(' ');
          return [(element as HTMLInputElement).name, document.getElementById(first)?.textContent ?? ''];
        }),
      ),
    );
  }

  values(): Promise<Record<string, string>> {
    return this.page.$$eval('form :is(input, select, textarea)', elements =>
      Object.fromEntries(
        elements.map(element => [(element as HTMLInputElement).name, (element as HTMLInputElement).value]),
      ),
    );
  }

  /** Returns four values for each field: its name, its label, its `autocomplete` value, and whether it is required. */
  controls(): Promise<unknown[][]> {
    return this.page.$$eval('form :is(input, select, textarea):not([name="fax_number"])', elements =>
      elements.map(element => {
        const control = element as HTMLInputElement;
        return [control.name, control.labels?.[0]?.textContent, control.autocomplete, control.required];
      }),
    );
  }

  focused(): Promise<string> {
    return this.page.evaluate(() => (document.activeElement as HTMLInputElement).name);
  }

  /** Returns the two numbers that the visitor must add. */
  async sum(): Promise<[x: number, y: number]> {
    const label = await this.page.$eval('label[for$="-result"]', element => element.textContent ?? '');
    const [, x, y] = /(\d+) \+ (\d+)/.exec(label) ?? [];
    return [Number(x), Number(y)];
  }

  async answerToSum(): Promise<string> {
    const [x, y] = await this.sum();
    return String(x + y);
  }

  async close(): Promise<void> {
    await this.page.browserContext().close();
  }

  async #intercept(request: HTTPRequest): Promise<void> {
    const { pathname } = new URL(request.url());
    const isOfApi = pathname === '/ip' || pathname.startsWith('/www/');
    if (isOfApi && request.method() !== 'OPTIONS') this.requests.push(request);
    const handler = isOfApi ? this.#handlers.get(pathname) : undefined;
    await (handler ? handler(request) : request.continue());
  }
}

/** Returns the JSON body of a request. */
export const payloadOf = (request: HTTPRequest): Record<string, unknown> => JSON.parse(request.postData() ?? 'null');
