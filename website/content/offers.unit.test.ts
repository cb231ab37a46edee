import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OfferField, readOffers } from './offers';
import { SERVICE_GROUPS } from './service-groups';

const services = readOffers('services');
const industries = readOffers('industries');
const offers = [...services, ...industries];
const byFile = offers.map(offer => [offer.file, offer] as const);

const fits: Record<OfferField['type'], (value: unknown) => boolean> = {
  text: value => typeof value === 'string' && value.trim() !== '',
  integer: value => Number.isInteger(value),
  decimal: value => Number.isFinite(value),
  boolean: value => typeof value === 'boolean',
  date: value => /^\d{4}-\d\d-\d\d$/.test(String(value)) && !Number.isNaN(Date.parse(String(value))),
  time: value => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value)),
  address: value => typeof value === 'string' && /^https?:\/\/[^/]+\.example(\/|$)/.test(value),
};

const rowsOf = (slug: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(join(__dirname, '../static/samples', `${slug}-synthetic.json`), 'utf8'));

test('every service has a unique position in its group, and every industry one among all industries', () => {
  for (const { id } of SERVICE_GROUPS) {
    const positions = services.filter(({ matter }) => matter.group === id).map(({ matter }) => matter.position);
    expect(positions).toEqual([...new Set(positions)]);
  }
  const positions = industries.map(({ matter }) => matter.position);
  expect(positions).toEqual([...new Set(positions)]);
});

test('each group of services on the website has the intended services, in order', () => {
  const slugs = SERVICE_GROUPS.map(({ id }) =>
    services.filter(({ matter }) => matter.group === id).map(({ slug }) => slug),
  );
  expect(slugs).toEqual([
    ['web-scraping', 'image-text-extraction-ocr', 'document-data-mining', 'mobile-app-scraping', 'deep-web-scraping'],
    ['price-monitoring', 'brand-monitoring', 'assets-monitoring', 'product-matching'],
    ['ai-sentiment-analysis', 'machine-learning'],
    ['scraping-scripts-development', 'data-mining-apps-development', 'chrome-extension-development'],
    ['daas-data-as-a-service', 'trawl-joint-api'],
    ['real-time-data', 'bitcoin-crypto-mining'],
  ]);
  const [first, second, third] = services
    .filter(({ matter }) => matter.group === 'data-scraping')
    .map(({ matter }) => matter.subject);
  expect([first, second, third]).toEqual(['Web Scraping Service', 'Image Text Extraction', 'Document Data Mining']);
});

test('service pages link to existing industry pages, and industry pages to existing service pages', () => {
  const known = { services: services.map(({ slug }) => slug), industries: industries.map(({ slug }) => slug) };
  for (const { matter } of services) {
    expect(known.industries).toEqual(expect.arrayContaining(matter.industries.map(({ slug }) => slug)));
  }
  for (const { matter } of industries) {
    expect(known.services).toEqual(expect.arrayContaining(matter.services.map(({ slug }) => slug)));
  }
});

test('services and industries of the website have unique names and e-mail subjects', () => {
  for (const field of ['name', 'subject'] as const) {
    const values = offers.map(({ matter }) => matter[field]);
    expect(values).toEqual([...new Set(values)]);
  }
});

test.each(byFile)('the offer %s has a data sample whose rows match its fields', (_, { slug, matter }) => {
  const rows = rowsOf(slug);
  expect(rows.length).toBeGreaterThanOrEqual(8);
  const broken = rows.flatMap((row, index) =>
    matter.fields
      .filter(({ name, type, filled }) => {
        const value = row[name];
        if (value === null) return filled === 'always';
        return !fits[type](value);
      })
      .map(({ name, type, filled }) => `row ${index}: ${name} is ${JSON.stringify(row[name])}, not ${type}, ${filled}`),
  );
  expect(broken).toEqual([]);
  const names = matter.fields.map(({ name }) => name);
  for (const row of rows) expect(Object.keys(row)).toEqual(names);
});

test.each(byFile)('the offer %s has an example value of the right type for each field', (_, { matter }) => {
  const wrong = matter.fields.filter(({ type, example }) => !fits[type](example)).map(({ name }) => name);
  expect(wrong).toEqual([]);
});

test.each(byFile)('the offer %s has a data sample as JSON and CSV, and the skript for it', (_, { slug }) => {
  const files = [
    `samples/${slug}/main.js`,
    ...['json', 'csv'].map(ending => `static/samples/${slug}-synthetic.${ending}`),
  ];
  expect(files.filter(file => !existsSync(join(__dirname, '..', file)))).toEqual([]);
});

test.each(byFile)('the offer %s has an explanation of 130 to 450 words', (_, { body }) => {
  const words = body.replace(/^import .*$/gm, '').split(/\s+/).length;
  expect(words).toBeGreaterThanOrEqual(130);
  expect(words).toBeLessThanOrEqual(450);
});

test('no two service or industry pages share a sentence', () => {
  const seen = new Map<string, string>();
  const shared = offers.flatMap(({ file, matter, body }) => {
    const { title: _title, fields: _fields, ...prose } = matter;
    const texts = [body.replaceAll('\n', ' '), ...JSON.stringify(prose).split('"')];
    const sentences = new Set(
      texts.flatMap(text => text.split(/(?<=[.:?])\s/)).filter(sentence => sentence.length >= 50),
    );
    return [...sentences].flatMap(sentence => {
      const other = seen.get(sentence);
      seen.set(sentence, file);
      return other ? [`${other} and ${file}: ${sentence}`] : [];
    });
  });
  expect(shared).toEqual([]);
});

test('no two service or industry pages offer rows with mostly the same fields', () => {
  const same = offers.flatMap(({ file, matter }, index) =>
    offers.slice(index + 1).flatMap(other => {
      const names = new Set(matter.fields.map(({ name }) => name));
      const others = other.matter.fields.map(({ name }) => name);
      const common = others.filter(name => names.has(name)).length;
      return common / Math.min(names.size, others.length) > 0.6 ? [`${file} and ${other.file}`] : [];
    }),
  );
  expect(same).toEqual([]);
});
