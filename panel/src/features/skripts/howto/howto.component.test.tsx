import { screen } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { press, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import { howtoPage } from './howto-page.js';
import { HowtoTab } from './howto-tab.js';

const skriptWith = (name: string, howto: string) =>
  ({ ...NEW_SKRIPT, id: 's1', title: 'Books', howto, files: [{ id: 'f', name, size: 1 }] }) as Skript;
const edited = jest.fn();
const bodyOf = (howto: string, isMarkdown: boolean) =>
  /<body>(.*)<\/body>/s.exec(howtoPage(howto, isMarkdown, 'light'))?.[1];

it('the howto of a skript is shown in a frame that runs no scripts and has no origin', async () => {
  showScreen(<HowtoTab skript={skriptWith('howto.md', '# How it **works**')} onEdit={edited} />, {});
  const frame = (await screen.findByTitle('Howto of Books')) as HTMLIFrameElement;
  expect(frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox');
  expect(frame.srcdoc).toContain("content=\"default-src 'none';");
  expect(frame.srcdoc).toContain('<h1 id="how-it-works">How it <strong>works</strong></h1>');
  await press('Edit');
  expect(edited.mock.calls).toEqual([['howto.md']]);
});

it.each([
  ['<script>parent.x = 1</script><p>text</p>', '<p>text</p>'],
  ['<img src="https://shop.example/a.png" onerror="alert(1)">', '<img src="https://shop.example/a.png">'],
  ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
  ['<a href="/panel/logout">a</a>', '<a>a</a>'],
  ['<a href="//a.example/">a</a>', '<a>a</a>'],
  ['<a href="#nowhere" target="_top">a</a>', '<a>a</a>'],
  ['<style>body { display: none }</style>text', 'text'],
  ['<p style="color: red">text</p>', '<p style="color: red">text</p>'],
  [
    '<a href="https://a.example/" target="_top">a</a>',
    '<a href="https://a.example/" target="_blank" rel="noopener noreferrer">a</a>',
  ],
  ['<form action="https://a.example/"><input name="password"></form>text', 'text'],
  [
    '<iframe src="https://a.example/"></iframe><meta http-equiv="refresh" content="0;url=https://a.example/">text',
    'text',
  ],
  ['<svg onload="alert(1)"><script>1</script></svg>text', 'text'],
  ['<img src="data:image/svg+xml;base64,AAAA">', '<img>'],
])('unsafe HTML of a howto is removed: %s becomes %s', (html, safe) => {
  expect(bodyOf(html, false)).toBe(safe);
});

it('headings of a howto get the same anchors as on GitHub, and links inside the howto lead to them', () => {
  const body = bodyOf(
    '[title](#title) [second](#what-it-needs-1) [ü](#%C3%BCber-uns_2)\n\n# Title\n## What it *needs*?\n## What it needs\n## Über uns_2\n',
    true,
  );
  expect([...(body ?? '').matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
    'title',
    'what-it-needs',
    'what-it-needs-1',
    'über-uns_2',
  ]);
  // Without a target, because another tab would be empty.
  expect(body).toContain(
    '<a href="about:srcdoc#title">title</a> <a href="about:srcdoc#what-it-needs-1">second</a> <a href="about:srcdoc#%C3%BCber-uns_2">ü</a>',
  );
});
