import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { JsonLd } from './json-ld';

// In Docusaurus, `Head` moves its children to the head of the page. This mock renders them where they are.
jest.mock(
  '@docusaurus/Head',
  () => ({ __esModule: true, default: ({ children }: { children: ReactNode }) => children }),
  {
    virtual: true,
  },
);

test('structured data of the website escapes closing script tags in text', () => {
  const data = { '@context': 'https://schema.org', '@type': 'WebPage', name: '</script><b>' } as const;
  const html = renderToStaticMarkup(<JsonLd data={data} />);
  const [, json] = /^<script type="application\/ld\+json">(.*)<\/script>$/.exec(html) ?? [];
  expect(json).not.toContain('<');
  expect(JSON.parse(String(json))).toEqual(data);
});
