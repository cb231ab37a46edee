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
      on: (_event: 'response', listener: typeof tell) => {
        tell = listener;
      },
      load: (...of: ReturnType<typeof response>[]) => {
        for (const one of of) tell(one);
      },
    };
  };
  const chromium = {
    launch: async () => ({ newContext: async () => context() }),
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
