import { screen } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { press, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import { howtoPage } from './howto-page.js';
import { HowtoTab } from './howto-tab.js';

const skriptWith = (name: string, howto: string) =>
  ({ ...NEW_SKRIPT, id: 's1', title: 'Books', howto, files: [{ id: 'f', name, size: 1 }] }) as Skript;
const edited = jest.fn();

it('shows the howto in a frame that runs no scripts and has no origin', async () => {
  showScreen(<HowtoTab skript={skriptWith('howto.md', '# How it **works**')} onEdit={edited} />, {});
  const frame = (await screen.findByTitle('Howto of Books')) as HTMLIFrameElement;
  expect(frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox');
  expect(frame.srcdoc).toContain("content=\"default-src 'none';");
  expect(frame.srcdoc).toContain('<h1>How it <strong>works</strong></h1>');
  await press('Edit');
  expect(edited.mock.calls).toEqual([['howto.md']]);
});

it.each([
  ['<script>parent.x = 1</script><p>text</p>', '<p>text</p>'],
  ['<img src="https://shop.example/a.png" onerror="alert(1)">', '<img src="https://shop.example/a.png">'],
  ['<a href="javascript:alert(1)">a</a>', '<a target="_blank" rel="noopener noreferrer">a</a>'],
  ['<a href="/panel/logout">a</a>', '<a target="_blank" rel="noopener noreferrer">a</a>'],
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
])('leaves out of %s all but %s', (html, safe) => {
  const body = /<body>(.*)<\/body>/s.exec(howtoPage(html, false, 'light'))?.[1];
  expect(body).toBe(safe);
});
