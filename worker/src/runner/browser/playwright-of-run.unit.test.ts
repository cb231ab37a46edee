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
  });
  expect(loader._load('playwright-core')).toBe(exported);
  expect(loader._load('playwright-core')).toBe(exported);
});
