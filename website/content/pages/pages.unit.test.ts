import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import { DEMO_REQUEST, PRICING_INQUIRY } from '../contact-links';
import * as faq from './faq';
import { NOT_FOUND } from './not-found';
import * as pricing from './pricing';

const WEBSITE = join(__dirname, '../..');
const LEGAL = join(WEBSITE, 'src/pages/legal');
const UPDATED = 'February 15, 2020';

const legal = (name: string) => {
  const { data, content } = matter(readFileSync(join(LEGAL, `${name}.mdx`), 'utf8'));
  const sections = [...content.matchAll(/^## (\d+)\. (.+) \{\/\* #([a-z-]+) \*\/\}$/gm)];
  return {
    updated: data.updated as string,
    content,
    headings: content.match(/^##? .*$/gm) ?? [],
    numbers: sections.map(([, number]) => Number(number)),
    ids: sections.map(([, , , id]) => id),
  };
};
const privacy = legal('privacy-policy');
const terms = legal('terms-of-service');

const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each([
  ['privacy policy', privacy, 12],
  ['terms of service', terms, 20],
] as const)('the %s has numbered sections with unique anchors', (_, { numbers, ids, headings }, count) => {
  expect(numbers).toEqual(countTo(count));
  expect(headings).toHaveLength(count);
  expect(ids).toEqual([...new Set(ids)]);
});

test('the legal pages contain no date but that of their last update', () => {
  for (const { updated, content } of [privacy, terms]) {
    expect(updated).toBe(UPDATED);
    expect(content.replace(/https:\S+/g, '').match(/\b(19|20)\d\d\b/g)).toBeNull();
    expect(content).not.toMatch(/\{[^/]/);
  }
});

test('the privacy policy names every field that a form sends or the server adds', () => {
  const fields = [
    ...['name', 'email', 'country', 'subject', 'msg', 'x', 'y', 'result', 'ip', 'time', 'referer'],
    ...['first_name', 'last_name', 'city', 'phone', 'website', 'company_name', 'company_location', 'company_vat'],
    ...['comment', 'seen_ip', 'fax_number'],
  ];
  expect(fields.filter(field => !privacy.content.includes(`\`${field}\``))).toEqual([]);
});

test('the privacy policy and the terms of service contain the required statements', () => {
  for (const words of [
    'first and last name',
    'no payment information',
    '18 years',
    'not sell your data',
    'ignore it',
  ]) {
    expect(privacy.content.replace(/\s+/g, ' ')).toContain(words);
  }
  for (const words of ['end of the paid term', 'are prohibited', 'arbitration in Croatia', '18 years']) {
    expect(terms.content.replace(/\s+/g, ' ')).toContain(words);
  }
});

test('links on the legal pages that show a host name lead to that host', () => {
  const links = [privacy, terms].flatMap(({ content }) => [...content.matchAll(/\[([^\]]+)\]\((https:[^)]+)\)/g)]);
  const shown = links.flatMap(([, text, target]) => {
    const host = /\b[a-z0-9-]+\.[a-z]{2,}\b/.exec(text as string)?.[0];
    return host ? [[host, new URL(target as string).host]] : [];
  });
  for (const [text, target] of shown) expect(text).toBe(target);
});

test('the FAQ has eight questions with unique anchors', () => {
  for (const entries of Object.values(faq.FAQ)) {
    const ids = entries.map(({ id }) => id);
    expect(ids).toHaveLength(8);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { question, answer } of entries) {
      expect(question).toMatch(/\?$/);
      expect(answer.join('').length).toBeGreaterThan(80);
    }
  }
});

test('demo and price buttons of the website lead to the contact form, FREE PACK buttons to the sign-up', () => {
  expect(decodeURIComponent(DEMO_REQUEST)).toBe('/contact?subject=Demo Request');
  expect(decodeURIComponent(PRICING_INQUIRY)).toBe('/contact?subject=Pricing Inquiry');
  expect(linksOf(faq)).toEqual(expect.arrayContaining([DEMO_REQUEST, '/contact']));
  expect(linksOf(pricing)).toEqual(expect.arrayContaining([PRICING_INQUIRY]));
  expect(pricing.PRICING_ACTIONS.signUp).toEqual({ label: 'Sign Up for FREE PACK', to: '/sign-up' });
});

test('the 404 page of the website has the specified text', () => {
  expect(NOT_FOUND.text).toBe(
    "Oops! The page you're looking for isn't here. It looks like nothing was found at this location. Check the URL for mistakes and try again.",
  );
  expect(NOT_FOUND.home).toBe('Go Home');
});

/** Returns the link targets in the texts of a page: every `to`, however deeply nested. */
function linksOf(words: unknown): string[] {
  if (typeof words !== 'object' || words === null) return [];
  return Object.entries(words).flatMap(([key, value]) =>
    key === 'to' && typeof value === 'string' ? [value] : linksOf(value),
  );
}
