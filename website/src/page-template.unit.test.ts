import { runInNewContext } from 'node:vm';
import { compileSSGTemplate } from '@docusaurus/core/lib/ssg/ssgTemplate';
import { PAGE_TEMPLATE } from './page-template';

const DATA = {
  appHtml: '<h1>Trawl</h1>',
  baseUrl: '/',
  htmlAttributes: 'lang="en"',
  bodyAttributes: '',
  headTags: '',
  preBodyTags: '',
  postBodyTags: '',
  metaAttributes: [],
  scripts: ['assets/js/runtime.js', 'assets/js/main.js'],
  stylesheets: ['assets/css/styles.css'],
  noIndex: false,
  version: '3',
};

/** Runs the script of a page. The test decides when the browser draws a frame and when it runs its timers. */
async function runScript({ hidden }: { hidden: boolean }) {
  const html = (await compileSSGTemplate(PAGE_TEMPLATE))(DATA);
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  const frames: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const loaded: object[] = [];
  runInNewContext(script, {
    document: { hidden, createElement: () => ({}), head: { append: (element: object) => loaded.push({ ...element }) } },
    requestAnimationFrame: (draw: () => void) => frames.push(draw),
    setTimeout: (run: () => void) => timers.push(run),
  });
  return { html, frames, timers, loaded };
}

const IN_ORDER = [
  { src: '/assets/js/runtime.js', async: false },
  { src: '/assets/js/main.js', async: false },
];

test('a page loads its scripts in their order after its first frame, and its style sheet before', async () => {
  const { html, frames, timers, loaded } = await runScript({ hidden: false });
  expect(html).toContain('<link rel="stylesheet" href="/assets/css/styles.css" />');
  expect(html).not.toContain('<script src');
  expect({ frames: frames.length, timers: timers.length, loaded }).toEqual({ frames: 1, timers: 0, loaded: [] });
  frames[0]?.();
  expect({ timers: timers.length, loaded }).toEqual({ timers: 1, loaded: [] });
  timers[0]?.();
  expect(loaded).toEqual(IN_ORDER);
});

test('a page in a background tab, which draws no frames, loads its scripts at once', async () => {
  expect((await runScript({ hidden: true })).loaded).toEqual(IN_ORDER);
});
