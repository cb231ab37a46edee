import { accessSync, constants, mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageSeen } from '@trawl/contracts';
import type { Browser, ConnectOptions, LaunchOptions, PuppeteerNode } from 'puppeteer-core';
import type { EchoItem } from '../../protocol/pipe-messages.js';
import type { BeginExchange } from '../exchanges/captured-exchange.js';
import { ChromiumProcess, networkArguments, OWN_ARGUMENTS, WITHOUT_NETWORK } from './chromium-process.js';
import { captureEvidence, evidenceEchoes, type PageEvidence } from './page-evidence.js';
import { type PageCounts, PageExchanges } from './page-exchanges.js';
import { adaptPlaywright } from './playwright-of-run.js';
import { PUPPETEER } from './puppeteer-of-run.js';
import { restoreRemovedMethods } from './removed-methods.js';
import type { RequestHandler } from './request-interception.js';

type Puppeteer = typeof import('puppeteer-core');

const START_MS = 30_000;
/**
 * Maximum time to capture the page, in milliseconds: before the run reports its error, the same for a page that answers,
 * and before the skript closes the page.
 */
const EVIDENCE_MS = 2_000;
const EVIDENCE_OF_SLOW_PAGE_MS = 10_000;
const EVIDENCE_BEFORE_CLOSING_MS = 1_500;

/** Launch options that cannot be applied to a Chromium that is already running. */
const START_OPTIONS = ['env', 'userDataDir', 'enableExtensions', 'dumpio'] as const;
/** Matches arguments that skripts often use although Chromium has them anyway or they have no effect on a worker. */
const REDUNDANT_ARGUMENTS =
  /^--(?:headless(?:=.*)?|display=.*|start-maximized|disable-setuid-sandbox|disable-accelerated-2d-canvas|disable-infobars|disable-web-resources|hide-scrollbars|mute-audio)$/;

const PAGES_OF_PLAYWRIGHT = 'the pages of Playwright: Trawl sees only those of Puppeteer';

/** Makes Chromium show that a program uses it. Without a screen, leaving it out changes nothing. */
const AUTOMATION_NOTE = '--enable-automation';

/**
 * The browser of a run of the environment `browser`. It launches Chromium for Puppeteer and captures the page at an
 * error.
 */
export class RunBrowser {
  readonly #executable: string;
  readonly #warn: (text: string) => void;
  readonly #begin: BeginExchange;
  readonly #counts: PageCounts;
  readonly #downloads = join(process.cwd(), 'downloads');
  readonly #library: Puppeteer;
  /** Warnings that the current run has echoed. A run echoes each warning once. */
  readonly #warnings = new Set<string>();
  /** A Chromium with default options that was started before the skript. */
  #prepared: ChromiumProcess | undefined;
  /** Browsers that the skript launched, the latest first. */
  #launched: ChromiumProcess[] = [];
  /** Handlers of requests, by their stage. */
  readonly #handlers = new Map<string, RequestHandler>();
  #isOffline = false;
  #usesPlaywright = false;
  /** Screenshot and source of the page that the skript closed last. */
  #closed: PageEvidence | null = null;
  /** The page that this run closed last, or showed at its error. */
  #seen: PageEvidence | null = null;

  /**
   * @param runtime folder of the built-in libraries
   * @param warn echoes a warning
   * @param watch `begin` captures an exchange of a page, `counts` counts pages
   */
  constructor(
    executable: string,
    runtime: string,
    warn: (text: string) => void,
    { begin, counts }: { begin: BeginExchange; counts: PageCounts },
  ) {
    this.#executable = executable;
    this.#warn = warn;
    this.#begin = begin;
    this.#counts = counts;
    this.#library = createRequire(join(runtime, 'runner.cjs'))(
      join(runtime, 'node_modules', 'puppeteer-core', 'library.js'),
    );
    restoreRemovedMethods(this.#library, (name, replacement) => this.#warnOfRemoved(name, replacement));
    Object.defineProperty(globalThis, PUPPETEER, { value: this.#puppeteer() });
    adaptPlaywright({
      programOf: options => this.#programOf('playwright', options),
      warnOfScreen: option => this.#warnOfScreen('playwright', option),
      launching: () => this.#playwrightLaunches(),
      networkArguments: () => this.#networkArguments(),
      counts,
      handlers: () => [...this.#handlers.values()].filter(({ lacks }) => !lacks),
    });
  }

  /** Starts Chromium ahead of the skript's first launch. It does not keep the process alive. */
  prepare(): void {
    this.#prepared = this.#start(this.#executable, {});
    this.#prepared.hold(false);
  }

  /** Lets the runner handle the requests of all pages of the run. Call it before the skript launches a browser. */
  intercept(handler: RequestHandler): void {
    this.#handlers.set(handler.stage, handler);
  }

  /** Starts the browsers of this process without a network. Call it before the skript launches one. */
  goOffline(): void {
    this.#isOffline = true;
    this.forgetPrepared();
  }

  /** Ends the Chromium that was started before the skript: the network is another one now. */
  forgetPrepared(): void {
    this.#prepared?.kill();
    this.#prepared = undefined;
  }

  /** The port of the network's proxy is known only when the run begins. */
  #networkArguments(): string[] {
    return this.#isOffline ? WITHOUT_NETWORK : networkArguments();
  }

  /** Prepares for the next run in this process. */
  forgetRun(): void {
    this.#warnings.clear();
    this.#seen = null;
    this.#usesPlaywright = false;
  }

  /** Returns the page that the run closed last, or showed at its error; null if none was captured. */
  pageSeen(): PageSeen | null {
    if (!this.#seen) return null;
    const { title, url, picture, html } = this.#seen;
    const pipe = this.#launched.find(({ pipe }) => pipe.lastUsed)?.pipe;
    return { title, url, picture, html, console: pipe?.watcher?.console(pipe.lastUsed?.session) ?? [] };
  }

  /**
   * Captures the page that the skript used last and returns it as echoes. Returns null if the skript used no page.
   * Never rejects.
   *
   * @param isUrgent whether the worker waits and will end this process soon
   */
  evidence(isUrgent: boolean): Promise<EchoItem[]> | null {
    if (this.#usesPlaywright) this.#warnOnce(`What this run saw lacks ${PAGES_OF_PLAYWRIGHT}.`);
    const chromium = this.#launched.find(({ pipe }) => pipe.lastUsed);
    if (!chromium) return null;
    return captureEvidence(chromium.pipe, EVIDENCE_MS, isUrgent ? EVIDENCE_MS : EVIDENCE_OF_SLOW_PAGE_MS).then(
      found => {
        const kept = this.#closed?.target === found?.target ? this.#closed : null;
        const evidence = kept ?? found;
        this.#seen = evidence;
        return evidence ? evidenceEchoes(evidence, evidence === kept) : [];
      },
    );
  }

  #playwrightLaunches(): void {
    if (!this.#usesPlaywright) for (const handler of this.#handlers.values()) handler.lacks?.(PAGES_OF_PLAYWRIGHT);
    this.#usesPlaywright = true;
  }

  #puppeteer(): Puppeteer {
    const browser = this;
    const executable = this.#executable;
    // The types do not declare this constructor, but the package `puppeteer` calls it too.
    const Base = this.#library.PuppeteerNode as unknown as new (settings: object) => PuppeteerNode;
    class PuppeteerOfRun extends Base {
      override launch(options: LaunchOptions = {}): Promise<Browser> {
        return browser.#launch(options);
      }
      override executablePath(): string {
        return executable;
      }
    }
    const puppeteer = new PuppeteerOfRun({ isPuppeteerCore: false, configuration: {} });
    const { launch, connect, defaultArgs, executablePath } = puppeteer;
    const module = { ...this.#library, default: puppeteer, launch, connect, defaultArgs, executablePath };
    const { TimeoutError, ProtocolError } = this.#library;
    for (const holder of [module, puppeteer]) {
      // Removed too, but without a warning: `error instanceof puppeteer.errors.TimeoutError` is no risk for a skript.
      Object.defineProperty(holder, 'errors', { value: { TimeoutError, ProtocolError } });
      Object.defineProperty(holder, 'devices', {
        get: () => {
          this.#warnOfRemoved('devices', 'KnownDevices');
          return this.#library.KnownDevices;
        },
      });
    }
    // Code from bundlers checks `__esModule` before it uses the default export.
    return Object.defineProperty(module, '__esModule', { value: true }) as Puppeteer;
  }

  async #launch(asked: LaunchOptions): Promise<Browser> {
    rejectUnsupported(asked);
    if (asked.headless === false) this.#warnOfScreen('puppeteer', 'headless: false');
    if (asked.devtools) this.#warnOfScreen('puppeteer', 'devtools: true');
    const options = { ...asked, headless: true, devtools: false };
    const program = this.#programOf('puppeteer', options);
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared && program === this.#executable && this.#canUsePrepared(options)) {
      try {
        return await this.#connect(prepared, options);
      } catch {
        // The prepared Chromium has ended meanwhile: start another.
      }
    }
    prepared?.kill();
    const chromium = this.#start(program, options);
    try {
      return await this.#connect(chromium, options);
    } catch (error) {
      chromium.kill();
      throw new Error(`Chromium did not start. ${chromium.lastOutput}`.trim(), { cause: error });
    }
  }

  #canUsePrepared(options: LaunchOptions): boolean {
    if (START_OPTIONS.some(name => options[name])) return false;
    const { ignoreDefaultArgs: left = false } = options;
    if (Array.isArray(left) ? left.some(argument => argument !== AUTOMATION_NOTE) : left) return false;
    const has = new Set([...OWN_ARGUMENTS, ...this.#library.defaultArgs()]);
    return (options.args ?? []).every(argument => has.has(argument) || REDUNDANT_ARGUMENTS.test(argument));
  }

  /**
   * Returns the path of the Chromium to start: the skript's own `executablePath` if there is such a program, for
   * example in the skript's libraries; else the worker's Chromium.
   */
  #programOf(library: string, { executablePath }: { executablePath?: string | undefined }): string {
    if (!executablePath || executablePath === this.#executable) return this.#executable;
    try {
      accessSync(executablePath, constants.X_OK);
      return executablePath;
    } catch {
      this.#warnOnce(`${library}.launch: this worker has no program ${executablePath}; it starts its own Chromium.`);
      return this.#executable;
    }
  }

  #warnOfScreen(library: string, option: string): void {
    this.#warnOnce(`${library}.launch: a run has no screen, so it ignores ${option}. Leave it out.`);
  }

  #warnOfRemoved(name: string, replacement: string): void {
    this.#warnOnce(`Puppeteer has removed ${name}. Trawl keeps it for older skripts; use ${replacement} instead.`);
  }

  #warnOnce(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#warn(text);
  }

  #start(executable: string, options: LaunchOptions): ChromiumProcess {
    const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    const { ignoreDefaultArgs, args = [] } = options;
    const own = [...OWN_ARGUMENTS, ...this.#networkArguments(), '--remote-debugging-pipe'];
    const userDataDir = options.userDataDir ?? join(folder, 'profile');
    const defaults = this.#library.defaultArgs({
      ...options,
      userDataDir,
      args: [...own, ...args],
    });
    const left = Array.isArray(ignoreDefaultArgs) ? ignoreDefaultArgs : [];
    const chromium = new ChromiumProcess({
      executable,
      arguments:
        ignoreDefaultArgs === true
          ? [...own, `--user-data-dir=${userDataDir}`, ...args]
          : defaults.filter(argument => own.includes(argument) || !left.includes(argument)),
      variables: options.env ?? process.env,
      log: options.dumpio ? null : join(folder, 'log'),
    });
    const { pipe } = chromium;
    pipe.watcher = new PageExchanges(
      this.#begin,
      (...command) => pipe.command(...command),
      this.#counts,
      frameId => pipe.isMainFrame(frameId),
    );
    return chromium;
  }

  async #connect(chromium: ChromiumProcess, options: LaunchOptions): Promise<Browser> {
    const { timeout = START_MS, waitForInitialPage = true } = options;
    chromium.hold(true);
    mkdirSync(this.#downloads, { recursive: true });
    const downloadBehavior = { policy: 'allow', downloadPath: this.#downloads } as const;
    if (this.#handlers.size > 0) chromium.pipe.intercept([...this.#handlers.values()]);
    const connecting = this.#library.connect({
      downloadBehavior,
      ...(options as ConnectOptions),
      channel: undefined as never,
      transport: chromium.pipe,
    });
    const browser = await withinTime(connecting, timeout);
    const { close, createBrowserContext } = browser;
    Object.assign(browser, {
      process: () => chromium.child,
      close: async () => {
        await close.call(browser);
        await chromium.ended;
      },
      createBrowserContext: (context = {}) => createBrowserContext.call(browser, { downloadBehavior, ...context }),
    });
    if (waitForInitialPage) await browser.waitForTarget(target => target.type() === 'page', { timeout });
    chromium.pipe.beforeClosing = async () => {
      this.#closed = await captureEvidence(chromium.pipe, EVIDENCE_BEFORE_CLOSING_MS);
      this.#seen = this.#closed;
    };
    this.#launched = [chromium, ...this.#launched.filter(({ child }) => child.exitCode === null)];
    return browser;
  }
}

/** @throws Error that names the launch option that a worker does not support */
function rejectUnsupported({ browser, debuggingPort, pipe }: LaunchOptions): void {
  const reject = (what: string) => {
    throw new Error(`puppeteer.launch: ${what}`);
  };
  if (browser !== undefined && browser !== 'chrome') reject(`a worker has no ${browser}, only Chromium.`);
  if (debuggingPort !== undefined || pipe === false) {
    reject('Chromium is reached over a pipe, because a run cannot listen. Leave out debuggingPort and pipe: false.');
  }
}

async function withinTime(connecting: Promise<Browser>, ms: number): Promise<Browser> {
  if (ms === 0) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}
