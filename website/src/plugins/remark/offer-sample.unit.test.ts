import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOffers } from '../../../content/offers';
import { excerpt } from './offer-sample';

test('the excerpt of a sample has the lines of the source that have most values of the row', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-excerpt-'));
  try {
    mkdirSync(join(folder, 'shelf'));
    const filler = Array.from({ length: 30 }, (_, line) => `  <i>${line}</i>`);
    writeFileSync(join(folder, 'index.html'), filler.join('\n'));
    const offer = ['  <li>', '    <b>Anchor</b>', '    <s>24.90</s>', '  </li>'];
    writeFileSync(join(folder, 'shelf/2.html'), [...filler, ...offer, ...filler].join('\n'));
    const { file, text } = excerpt(folder, { title: 'Anchor', price: 24.9, stock: null });
    expect(file).toBe('2.html');
    expect(text).toContain('<b>Anchor</b>');
    expect(text).toContain('<s>24.90</s>');
    expect(text.split('\n')).toHaveLength(9);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every service and industry has source lines to show beside its first row', () => {
  const rows = (slug: string) => require(`../../../static/samples/${slug}-synthetic.json`);
  const without = [...readOffers('services'), ...readOffers('industries')].filter(
    ({ slug }) => !excerpt(join('website/samples', slug, 'source'), rows(slug)[0]).text.trim(),
  );
  expect(without.map(({ slug }) => slug)).toEqual([]);
});
