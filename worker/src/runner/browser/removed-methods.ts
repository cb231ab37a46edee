import { setTimeout as delay } from 'node:timers/promises';
import type {
  BrowserContextOptions,
  Browser as BrowserOfPages,
  CDPSession,
  Frame,
  Page,
  WaitForSelectorOptions,
} from 'puppeteer-core';

type Puppeteer = typeof import('puppeteer-core');
type PageOrFrame = Pick<Page & Frame, '$$' | 'waitForFunction' | 'waitForSelector'>;

/** Called when a skript uses what Puppeteer has removed: with its name, and what a skript should use instead. */
export type RemovedUsed = (name: string, replacement: string) => void;

/** Matches an XPath expression. A CSS selector cannot begin like this. */
const XPATH = /^\(*\.?\//;

/**
 * Puts methods back that newer versions of Puppeteer have removed, because older skripts call them. They work as in the
 * older versions.
 */
export function restoreRemovedMethods(puppeteer: Puppeteer, used: RemovedUsed): void {
  const { Browser, Page, Frame, ElementHandle } = puppeteer;
  const restore = <Self = PageOrFrame>(
    classes: { prototype: object }[],
    name: string,
    replacement: string,
    method: (self: Self, ...args: never[]) => Promise<unknown>,
  ) => {
    for (const { prototype } of classes) {
      Object.defineProperty(prototype, name, {
        configurable: true,
        writable: true,
        async value(this: Self, ...args: never[]) {
          used(name, replacement);
          return method(this, ...args);
        },
      });
    }
  };
  restore([Page, Frame, ElementHandle], '$x', "$$('xpath/…')", (self, xpath: string) => self.$$(`xpath/${xpath}`));
  restore([Page, Frame, ElementHandle], 'waitForXPath', "waitForSelector('xpath/…')", waitForXPath);
  restore([Page, Frame], 'waitForTimeout', 'new Promise(resolve => setTimeout(resolve, ms))', (_self, ms: number) =>
    delay(ms),
  );
  restore<BrowserOfPages>(
    [Browser],
    'createIncognitoBrowserContext',
    'createBrowserContext',
    (self, options?: BrowserContextOptions) => self.createBrowserContext(options),
  );
  restore([Page, Frame], 'waitFor', 'waitForSelector, waitForFunction or setTimeout', waitFor);
  // Puppeteer exports the class, but has no type for it.
  restoreClient((puppeteer as unknown as { CdpPage: { prototype: PageWithClient } }).CdpPage.prototype, used);
}

/** The method that Puppeteer itself calls. */
interface PageWithClient {
  _client(): CDPSession;
}

/**
 * Makes `page._client` an object again, with the methods of a CDP session. Older skripts call `page._client.send`,
 * Puppeteer calls `page._client()`: it is both.
 */
function restoreClient(prototype: PageWithClient, used: RemovedUsed): void {
  const { _client: sessionOf } = prototype;
  Object.defineProperty(prototype, '_client', {
    configurable: true,
    get(this: PageWithClient) {
      return new Proxy(() => sessionOf.call(this), {
        get(callable, name) {
          const session = callable();
          const member = Reflect.get(session, name);
          if (typeof member !== 'function') return member;
          used('page._client', 'page.createCDPSession()');
          return member.bind(session);
        },
      });
    },
  });
}

const waitForXPath = (self: PageOrFrame, xpath: string, options?: WaitForSelectorOptions) =>
  self.waitForSelector(`xpath/${xpath}`, options);

/** Waits for a selector, an XPath expression, a number of milliseconds, or a function that returns a truthy value. */
async function waitFor(self: PageOrFrame, target: unknown, options: object = {}, ...args: unknown[]): Promise<unknown> {
  if (typeof target === 'number') return delay(target);
  if (typeof target === 'function') return self.waitForFunction(target as () => unknown, options, ...(args as []));
  if (typeof target !== 'string') {
    throw new TypeError(
      `waitFor waits for a selector, an XPath expression, milliseconds or a function; you passed ${target === null ? 'null' : `a value of type ${typeof target}`}.`,
    );
  }
  return XPATH.test(target) ? waitForXPath(self, target, options) : self.waitForSelector(target, options);
}
