import type { Browser, HTTPRequest, Page } from 'puppeteer-core';

const SECONDS_30 = { timeout: 30_000 };

export interface Shown {
  kind: string;
  text: string;
}

type Answering = (request: HTTPRequest) => Promise<void> | void;

/** One of the site's forms in a browser context of its own, as a visitor finds it. */
export class FormPage {
  /** What the page asked of the API, in order. */
  readonly requests: HTTPRequest[] = [];
  /** What goes wrong in the page itself. */
  readonly problems: string[] = [];
  #answers = new Map<string, Answering>();

  private constructor(readonly page: Page) {}

  /** @param typedWhileLoading values that the visitor enters before the page's scripts have run */
  static async open(
    browser: Browser,
    address: string,
    { typedWhileLoading = {} }: { typedWhileLoading?: Record<string, string> } = {},
  ): Promise<FormPage> {
    const page = await (await browser.createBrowserContext()).newPage();
    const form = new FormPage(page);
    page.on('pageerror', error => form.problems.push(String(error)));
    page.on('request', request => void form.#take(request));
    await page.setRequestInterception(true);
    // Chance would now and then draw the same sum twice.
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
    await page.waitForSelector('form button[type="submit"]:enabled', SECONDS_30);
    return form;
  }

  /** From now on answers this path of the API in the server's place. */
  answer(path: string, answering: Answering): void {
    this.#answers.set(path, answering);
  }

  answerJson(path: string, status: number, body: object): void {
    this.answer(path, request =>
      request.respond({ status, contentType: 'application/json', body: JSON.stringify(body) }),
    );
  }

  /** Takes the request and never answers. */
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
        // As a paste: typing a long message takes long.
        await this.page.keyboard.sendCharacter(value);
      }
    }
  }

  async submit(): Promise<void> {
    await this.page.click('form button[type="submit"]');
  }

  /** The message that is there, or the next one. */
  async message(): Promise<Shown> {
    await this.page.waitForSelector('form [role="status"]:not(:empty)', SECONDS_30);
    return (await this.messageNow()) as Shown;
  }

  messageNow(): Promise<Shown | null> {
    return this.page.$eval('form [role="status"]', element =>
      element.textContent ? { kind: (element as HTMLElement).dataset.kind ?? '', text: element.textContent } : null,
    );
  }

  /** Waits until what was sent has been answered, one way or the other. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('form button[type="submit"]:enabled', SECONDS_30);
  }

  async requested(path: string): Promise<HTTPRequest> {
    const isIt = (request: HTTPRequest) => new URL(request.url()).pathname === path && request.method() !== 'OPTIONS';
    return this.requests.find(isIt) ?? this.page.waitForRequest(isIt, SECONDS_30);
  }

  paths(): string[] {
    return this.requests.map(request => new URL(request.url()).pathname);
  }

  /** Names of the fields that are marked as wrong, each with what describes it. */
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

  /** Of each field: name, label, what autofill takes it for, and whether it is required. */
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

  /** The addends that are shown. */
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

  async #take(request: HTTPRequest): Promise<void> {
    const { pathname } = new URL(request.url());
    const isOfApi = pathname === '/ip' || pathname.startsWith('/www/');
    if (isOfApi && request.method() !== 'OPTIONS') this.requests.push(request);
    const answering = isOfApi ? this.#answers.get(pathname) : undefined;
    await (answering ? answering(request) : request.continue());
  }
}

/** What a request carried. */
export const payloadOf = (request: HTTPRequest): Record<string, unknown> => JSON.parse(request.postData() ?? 'null');
