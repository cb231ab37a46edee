import { accessSync, constants, mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, ConnectOptions, LaunchOptions, PuppeteerNode } from 'puppeteer-core';
import type { EchoItem } from '../pipe-messages.js';
import { ChromiumProcess, networkArguments, OWN_ARGUMENTS } from './chromium-process.js';
import { evidenceEchoes, evidenceOf, type PageEvidence } from './page-evidence.js';
import { PUPPETEER } from './puppeteer-of-run.js';

type Puppeteer = typeof import('puppeteer-core');

const START_MS = 30_000;
/** The run's error waits for the first; the skript, when it closes a page, for the second. */
const EVIDENCE_MS = 2_000;
const EVIDENCE_BEFORE_CLOSING_MS = 500;

/** With one of these a browser that is already started is not the one that is asked for. */
const DECIDED_AT_START = ['ignoreDefaultArgs', 'env', 'userDataDir', 'enableExtensions', 'dumpio'] as const;
/** What skripts from elsewhere ask for and have anyway, or what makes no difference here. */
const NEEDLESS =
  /^--(?:headless(?:=.*)?|disable-setuid-sandbox|disable-accelerated-2d-canvas|disable-infobars|disable-web-resources|hide-scrollbars|mute-audio)$/;

/** The browser of a run of the environment `browser`: how Puppeteer gets it, and what is kept of it when the run fails. */
export class RunBrowser {
  readonly #executable: string;
  readonly #warn: (text: string) => void;
  readonly #downloads = join(process.cwd(), 'downloads');
  readonly #library: Puppeteer;
  /** Started before anybody asked for it, without a skript's wishes. */
  #prepared: ChromiumProcess | undefined;
  /** Those that the skript launched, the last one first. */
  #launched: ChromiumProcess[] = [];
  /** Of the page that was closed last. */
  #closed: PageEvidence | null = null;

  /** `runtime` is the folder that holds the stock libraries; `warn` says something to those who watch the run. */
  constructor(executable: string, runtime: string, warn: (text: string) => void) {
    this.#executable = executable;
    this.#warn = warn;
    this.#library = createRequire(join(runtime, 'runner.cjs'))(
      join(runtime, 'node_modules', 'puppeteer-core', 'library.js'),
    );
    Object.defineProperty(globalThis, PUPPETEER, { value: this.#puppeteer() });
  }

  /** Starts Chromium ahead of the skript's first launch. The process does not go on for its sake. */
  prepare(): void {
    this.#prepared = this.#start(this.#executable, {});
    this.#prepared.hold(false);
  }

  /** What the page that was used last was like, as echoes; null when no page was used. Never rejects. */
  evidence(): Promise<EchoItem[]> | null {
    const chromium = this.#launched.find(({ pipe }) => pipe.used);
    if (!chromium) return null;
    return evidenceOf(chromium.pipe, EVIDENCE_MS).then(found => {
      const kept = this.#closed?.target === found?.target ? this.#closed : null;
      const evidence = kept ?? found;
      return evidence ? evidenceEchoes(evidence, evidence === kept) : [];
    });
  }

  #puppeteer(): Puppeteer {
    const browser = this;
    const executable = this.#executable;
    // What its constructor takes is not among the types; the package `puppeteer` is made so.
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
    // What bundlers look at to tell the default export from the rest.
    return Object.defineProperty(module, '__esModule', { value: true }) as Puppeteer;
  }

  async #launch(options: LaunchOptions): Promise<Browser> {
    refuseImpossible(options);
    const program = this.#programOf(options);
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared && program === this.#executable && this.#isAsIs(options)) {
      try {
        return await this.#connect(prepared, options);
      } catch {
        // It ended while it waited. Another one is started, whose failure is told.
      }
    }
    prepared?.kill();
    const chromium = this.#start(program, options);
    try {
      return await this.#connect(chromium, options);
    } catch (error) {
      chromium.kill();
      throw new Error(`Chromium did not start. ${chromium.lastWords}`.trim(), { cause: error });
    }
  }

  #isAsIs(options: LaunchOptions): boolean {
    if (DECIDED_AT_START.some(name => options[name])) return false;
    const has = new Set([...OWN_ARGUMENTS, ...this.#library.defaultArgs()]);
    return (options.args ?? []).every(argument => has.has(argument) || NEEDLESS.test(argument));
  }

  /** A path of another machine is no reason to fail; a program that the skript brought with it is what it wants. */
  #programOf({ executablePath }: LaunchOptions): string {
    if (executablePath === undefined || executablePath === this.#executable) return this.#executable;
    try {
      accessSync(executablePath, constants.X_OK);
      return executablePath;
    } catch {
      this.#warn(`puppeteer.launch: there is no program ${executablePath} here; the worker's own Chromium is started.`);
      return this.#executable;
    }
  }

  #start(executable: string, options: LaunchOptions): ChromiumProcess {
    const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    const { ignoreDefaultArgs, args = [] } = options;
    const own = [...OWN_ARGUMENTS, ...networkArguments(), '--remote-debugging-pipe'];
    const userDataDir = options.userDataDir ?? join(folder, 'profile');
    const defaults = this.#library.defaultArgs({
      ...options,
      headless: true,
      userDataDir,
      args: [...own, ...args],
    });
    const left = Array.isArray(ignoreDefaultArgs) ? ignoreDefaultArgs : [];
    return new ChromiumProcess({
      executable,
      arguments:
        ignoreDefaultArgs === true
          ? [...own, `--user-data-dir=${userDataDir}`, ...args]
          : defaults.filter(argument => own.includes(argument) || !left.includes(argument)),
      variables: options.env ?? process.env,
      log: options.dumpio ? null : join(folder, 'log'),
    });
  }

  async #connect(chromium: ChromiumProcess, options: LaunchOptions): Promise<Browser> {
    const { timeout = START_MS, waitForInitialPage = true } = options;
    chromium.hold(true);
    mkdirSync(this.#downloads, { recursive: true });
    const downloadBehavior = { policy: 'allow', downloadPath: this.#downloads } as const;
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
      this.#closed = await evidenceOf(chromium.pipe, EVIDENCE_BEFORE_CLOSING_MS);
    };
    this.#launched = [chromium, ...this.#launched.filter(({ child }) => child.exitCode === null)];
    return browser;
  }
}

/** @throws Error that says what is asked for and cannot be had on a worker. */
function refuseImpossible({ headless, devtools, browser, debuggingPort, pipe }: LaunchOptions): void {
  const refuse = (what: string) => {
    throw new Error(`puppeteer.launch: ${what}`);
  };
  if (headless === false || devtools) refuse('a worker has no screen. Leave out headless: false and devtools.');
  if (browser !== undefined && browser !== 'chrome') refuse(`a worker has no ${browser}, only Chromium.`);
  if (debuggingPort !== undefined || pipe === false) {
    refuse('Chromium is reached over a pipe, since a run may not listen. Leave out debuggingPort and pipe: false.');
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
