import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { openPage } from '../harness/browser/chromium.js';
import { until } from '../harness/until.js';
import { ApiRequest, type ApiResponse } from './api-request.js';

export interface Message {
  kind: string;
  text: string;
}

type Handler = (request: ApiRequest) => Promise<void> | void;

const DESKTOP = { width: 1440, height: 900 };

/** The tab of each browser, which shows one form after the other: a new tab would compile the site's scripts anew. */
const tabs = new WeakMap<Browser, Promise<Page>>();

async function openTab(browser: Browser): Promise<Page> {
  const page = await openPage(browser);
  // Skips the entrance animations, which take longer than the tests.
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  return page;
}

/** A page with one of the site's forms. The site sees a new visitor, because `close` deletes what the site has stored. */
export class FormPage {
  /** The requests that the page sent to the API, in order. */
  readonly requests: ApiRequest[] = [];
  /** Errors of the page's scripts. */
  readonly problems: string[] = [];
  #handlers = new Map<string, Handler>();
  readonly #scripts: string[] = [];
  readonly #addProblem = (error: unknown) => void this.problems.push(String(error));

  private constructor(
    readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  /** @param typedWhileLoading values that the visitor enters before the page's scripts have run */
  static async open(
    browser: Browser,
    address: string,
    { typedWhileLoading = {} }: { typedWhileLoading?: Record<string, string> } = {},
  ): Promise<FormPage> {
    const tab = tabs.get(browser) ?? openTab(browser);
    tabs.set(browser, tab);
    const page = await tab;
    const form = new FormPage(page, await page.createCDPSession());
    await form.#prepare(typedWhileLoading);
    await page.goto(address);
    await page.waitForSelector('form button[type="submit"]:enabled');
    return form;
  }

  async #prepare(typedWhileLoading: Record<string, string>): Promise<void> {
    this.page.on('pageerror', this.#addProblem);
    this.session.on('Fetch.requestPaused', paused => void this.#intercept(new ApiRequest(this.session, paused)));
    // Intercept only the API. Puppeteer's own interception is of all requests, and turns the HTTP cache off.
    await this.session.send('Fetch.enable', { patterns: [{ urlPattern: '*/ip' }, { urlPattern: '*/www/*' }] });
    const scripts = [
      // Replace random numbers by a fixed sequence, because two random sums could be equal.
      await this.page.evaluateOnNewDocument(() => {
        let drawn = 0;
        Math.random = () => {
          drawn = (drawn + 37) % 100;
          return drawn / 100;
        };
      }),
      await this.page.evaluateOnNewDocument(values => {
        new MutationObserver((_records, observer) => {
          for (const [name, value] of Object.entries(values)) {
            const field = document.querySelector<HTMLInputElement>(`form [name="${name}"]`);
            if (!field) return;
            field.value = value;
          }
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      }, typedWhileLoading),
    ];
    this.#scripts.push(...scripts.map(({ identifier }) => identifier));
  }

  /** From now on `handler` responds to the requests for this path of the API, and the server does not get them. */
  answer(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  answerJson(path: string, status: number, body: object): void {
    const response: ApiResponse = { status, contentType: 'application/json', body: JSON.stringify(body) };
    this.answer(path, request => request.respond(response));
  }

  /** From now on, requests for this path of the API get no response. */
  hold(path: string): void {
    this.answer(path, () => {});
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const field = await this.page.$(`form [name="${name}"]`);
      await field?.evaluate(element => element.closest('details')?.setAttribute('open', ''));
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
  requested(path: string): Promise<ApiRequest> {
    return until(async () => this.requests.find(({ url }) => url.pathname === path), `the request for ${path}`);
  }

  paths(): string[] {
    return this.requests.map(({ url }) => url.pathname);
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

  /** Ends the visit. The next page in this tab has the same HTTP cache, but nothing else of this one. */
  async close(): Promise<void> {
    this.page.off('pageerror', this.#addProblem);
    for (const script of this.#scripts) await this.page.removeScriptToEvaluateOnNewDocument(script);
    // The server must not get the requests that are held. The page may have cancelled one of them itself.
    const held = this.requests.filter(({ isAnswered }) => !isAnswered);
    await Promise.allSettled(held.map(request => request.abort('ConnectionRefused')));
    await this.session.send('Network.clearBrowserCookies');
    await this.session.detach();
    await this.page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await this.page.setViewport(DESKTOP);
  }

  async #intercept(request: ApiRequest): Promise<void> {
    if (request.method === 'OPTIONS') return request.continue();
    this.requests.push(request);
    const handler = this.#handlers.get(request.url.pathname);
    await (handler ? handler(request) : request.continue());
  }
}
