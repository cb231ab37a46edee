import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { JsonLd } from './json-ld';

// A port of Docusaurus: what is put into it stands in the head of the page.
jest.mock(
  '@docusaurus/Head',
  () => ({ __esModule: true, default: ({ children }: { children: ReactNode }) => children }),
  {
    virtual: true,
  },
);

test('text that has a closing tag in it stays data', () => {
  const data = { '@context': 'https://schema.org', '@type': 'WebPage', name: '</script><b>' } as const;
  const html = renderToStaticMarkup(<JsonLd data={data} />);
  const [, json] = /^<script type="application\/ld\+json">(.*)<\/script>$/.exec(html) ?? [];
  expect(json).not.toContain('<');
  expect(JSON.parse(String(json))).toEqual(data);
});
