import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaimId, FEATURE_CLAIMS } from './feature-claims';
import * as faq from './pages/faq';
import * as home from './pages/home';
import * as platform from './pages/platform';

const WEBSITE = join(__dirname, '..');
const claims = Object.entries(FEATURE_CLAIMS);

/** Returns a docs page as one line of text, with the apostrophes of the claims. */
const docsPage = (route: string): string => {
  const path = route === '/docs/joint-api' ? `${route}/index` : route;
  return plain(readFileSync(join(WEBSITE, `${path.slice(1)}.mdx`), 'utf8'));
};
const plain = (text: string): string => text.replaceAll('**', '').replaceAll("'", '’').replace(/\s+/g, ' ');

/** Returns the texts of a page, with those of the claims to which it refers. */
function textsOf(words: unknown): string[] {
  if (typeof words === 'string') return [words];
  if (typeof words !== 'object' || words === null) return [];
  const claim = claims.find(([, known]) => known === words);
  if (claim) return [claim[1].text];
  return Object.entries(words).flatMap(([key, value]) =>
    key === 'claims' ? (value as ClaimId[]).map(id => FEATURE_CLAIMS[id].text) : textsOf(value),
  );
}
const pages = Object.entries({ home, platform, faq }).map(
  ([name, words]) => [name, textsOf(words).join('\n')] as const,
);

test.each(claims)('the documentation proves what the website claims about %s', (_, { proof, shown }) => {
  const page = docsPage(proof);
  expect(shown.filter(words => !page.includes(plain(words)))).toEqual([]);
});

test('every claim about a feature is on the home page, on /platform or in the FAQ', () => {
  const unused = claims.filter(([, { text }]) => !pages.some(([, words]) => words.includes(text)));
  expect(unused.map(([id]) => id)).toEqual([]);
});

/** Words that named features as missing, after they had been built, or promised more than there is. */
const DOUBTFUL =
  /\b(?:comes? later|not (?:built|made|tried) yet|no screen|nobody has tried|retry automatically|macOS|as root|prox(?:y|ies)|retr(?:y|ies)|schedules?|Python|Windows)\b/gi;

test.each(pages)('the page %s denies or claims features only in the words of the table', (_, words) => {
  const own = claims.reduce((rest, [, { text }]) => rest.replaceAll(text, ''), words);
  expect(own.match(DOUBTFUL)?.map(word => word.toLowerCase()) ?? []).toEqual([]);
});

test('a claim about a planned or partial feature says what is missing', () => {
  const limited = claims.filter(([, { state }]) => state !== 'here').map(([id]) => id as ClaimId);
  expect(limited).toEqual(['stealth', 'proxies', 'sandbox', 'systems', 'python', 'windowsWorkers']);
});
