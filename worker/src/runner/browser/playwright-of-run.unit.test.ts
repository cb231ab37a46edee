import Module from 'node:module';
import { adaptPlaywright } from './playwright-of-run.js';

const loader = Module as unknown as { _load: (name: string) => unknown };
const load = loader._load;
afterEach(() => {
  loader._load = load;
});

const named = () => 'of the skript';

test.each([
  ['a text', 'text'],
  ['null', null],
  ['a number as chromium', { chromium: 1 }],
  ['a function', named],
])('a module named playwright-core that exports %s is loaded as it is', (_, exported) => {
  loader._load = () => exported;
  adaptPlaywright({
    programOf: () => '/chromium',
    warnOfScreen: () => {},
    launching: () => {},
    networkArguments: () => [],
    counts: { requested: () => {}, answered: () => false, shown: () => {} },
    handlers: () => [],
  });
  expect(loader._load('playwright-core')).toBe(exported);
  expect(loader._load('playwright-core')).toBe(exported);
});

test('counts the pages of each context, and not what they load, their frames and service workers', async () => {
  const response = (path: string, { isPage = true, parent = null as object | null, status = 200 } = {}) => ({
    url: () => `http://shop.example/${path}`,
    status: () => status,
    headers: () => ({ server: 'shop' }),
    request: () => ({ isNavigationRequest: () => isPage }),
    frame: () => {
      if (path === 'worker.js') throw new Error('Service worker requests do not have an associated frame.');
      return { parentFrame: () => parent };
    },
  });
  const context = () => {
    let tell: (of: ReturnType<typeof response>) => void = () => {};
    return {
      browser: () => null,
      pages: () => [],
      close: async () => {},
      on: (event: 'response' | 'page', listener: typeof tell) => {
        if (event === 'response') tell = listener;
      },
      load: (...of: ReturnType<typeof response>[]) => {
        for (const one of of) tell(one);
      },
    };
  };
  const chromium = {
    launch: async () => ({ newContext: async () => context(), close: async () => {} }),
    launchPersistentContext: async () => context(),
    launchServer: async () => {},
  };
  loader._load = () => ({ chromium });
  const counted: string[] = [];
  adaptPlaywright({
    programOf: () => '/chromium',
    warnOfScreen: () => {},
    launching: () => {},
    networkArguments: () => [],
    counts: {
      requested: url => counted.push(url),
      answered: (url, status, header) => counted.push(`${status} ${header('server')} ${url}`) > 0,
      shown: () => {},
    },
    handlers: () => [],
  });
  const adapted = (loader._load('playwright-core') as { chromium: typeof chromium }).chromium;
  const ofBrowser = await (await adapted.launch()).newContext();
  ofBrowser.load(
    response('books'),
    response('logo.png', { isPage: false }),
    response('frame', { parent: {} }),
    response('worker.js'),
  );
  (await adapted.launchPersistentContext()).load(response('basket', { status: 403 }));
  expect(counted).toEqual([
    'http://shop.example/books',
    '200 shop http://shop.example/books',
    'http://shop.example/basket',
    '403 shop http://shop.example/basket',
  ]);
});

describe.each(['page', 'context', 'browser'] as const)('a skript that closes its %s', what => {
  const url = 'http://shop.example/';

  /** Lets a page answer with a text, and returns what happens when the skript closes it. */
  async function close(text: Promise<string>): Promise<string[]> {
    const seen: string[] = [];
    const closable = (name: string) => ({
      close: async () => {
        seen.push(`closed ${name}`);
      },
    });
    const page = closable('page');
    let tell: (response: object) => void = () => {};
    const context = {
      ...closable('context'),
      browser: () => null,
      pages: () => [page],
      on: (event: string, listener: typeof tell) => {
        if (event === 'response') tell = listener;
      },
    };
    const browser = { ...closable('browser'), newContext: async () => context };
    loader._load = () => ({ chromium: { launch: async () => browser } });
    adaptPlaywright({
      programOf: () => '/chromium',
      warnOfScreen: () => {},
      launching: () => {},
      networkArguments: () => [],
      counts: { requested: () => {}, answered: () => false, shown: (_url, html) => seen.push(`shown ${html}`) },
      handlers: () => [],
    });
    const { chromium } = loader._load('playwright-core') as { chromium: { launch(): Promise<typeof browser> } };
    const launched = await chromium.launch();
    await launched.newContext();
    tell({
      url: () => url,
      status: () => 200,
      headers: () => ({ 'content-type': 'text/html' }),
      text: () => text,
      request: () => ({ isNavigationRequest: () => true, sizes: async () => ({ responseBodySize: 10 }) }),
      frame: () => ({ url: () => url, page: () => page, parentFrame: () => null }),
    });
    await { page, context, browser: launched }[what].close();
    return seen;
  }

  test('waits until the runner has read the page', async () => {
    const text = new Promise<string>(resolve => setImmediate(resolve, 'Just a moment'));
    expect(await close(text)).toEqual(['shown Just a moment', `closed ${what}`]);
  });

  test('does not wait for a page that loads without end', async () => {
    expect(await close(new Promise(() => {}))).toEqual([`closed ${what}`]);
  });
});
