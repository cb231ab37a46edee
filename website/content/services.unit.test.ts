import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTACT_BAND, OFFER_BAND } from './contact-band';
import { readOffers } from './offers';
import * as contact from './pages/contact';
import * as faq from './pages/faq';
import * as home from './pages/home';
import * as platform from './pages/platform';
import * as pricing from './pages/pricing';
import * as servicesPage from './pages/services-page';
import * as signUp from './pages/sign-up';
import { SERVICE_GROUPS } from './service-groups';

const offers = [...readOffers('services'), ...readOffers('industries')];
const SPOKEN_FOR_SOMEBODY = /\b(?:we|us|our|ours)\b/gi;

/** Returns every `off` text in the words of a page. */
function offTexts(words: unknown): string[] {
  if (typeof words !== 'object' || words === null) return [];
  return Object.entries(words).flatMap(([key, value]) => (key === 'off' ? [JSON.stringify(value)] : offTexts(value)));
}

test('the marketing pages say “we” nowhere, so that nobody has to guess who that is', () => {
  const { WHO_WE_ARE, ...services } = servicesPage;
  const words = { home, platform, pricing, faq, contact, signUp, services, SERVICE_GROUPS, CONTACT_BAND, OFFER_BAND };
  const found = Object.entries(words).flatMap(([name, page]) =>
    (JSON.stringify(page).replaceAll('Contact Us', '').match(SPOKEN_FOR_SOMEBODY) ?? []).map(
      word => `${name}: ${word}`,
    ),
  );
  expect(found).toEqual([]);
  expect(WHO_WE_ARE).toContain('“we” means this team');
});

test('what a service page shows without services never says “we”', () => {
  const found = offers.flatMap(({ file, body, matter: { headline, name, summary, row, sample } }) =>
    ([body, headline, name, summary, row, sample].join('\n').match(SPOKEN_FOR_SOMEBODY) ?? []).map(
      word => `${file}: ${word}`,
    ),
  );
  expect(found).toEqual([]);
});

test('the texts of an installation without services claim no team and offer no work', () => {
  const texts = [home, pricing, faq, contact, servicesPage, { CONTACT_BAND }].flatMap(offTexts);
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter(text => /team|expert|quote|\bwritten for you|reliability/i.test(text))).toEqual([]);
});

test('the claims of the specification are made of Trawl’s services team, once, on the home page', () => {
  const { text } = home.WAYS_TO_USE.service.on;
  for (const claim of ['services team', '24 experts', 'over 7 years', '100% reliability'])
    expect(text).toContain(claim);
  const elsewhere = [pricing, faq, contact, servicesPage, platform].map(page => JSON.stringify(page)).join('');
  expect(elsewhere).not.toMatch(/24 experts|7 years|100% reliability/);
});

test('the terms of service say who “we” is on other pages', () => {
  const terms = readFileSync(join(__dirname, '../src/pages/legal/terms-of-service.mdx'), 'utf8').replace(/\s+/g, ' ');
  expect(terms).toContain('Where a page about services says “we”, it means Trawl’s services team');
});
