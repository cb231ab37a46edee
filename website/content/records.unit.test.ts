import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ACTIONS,
  API_ERRORS,
  ECHO_TYPES,
  ENVIRONMENTS,
  LIMITS,
  LIVE_ACTIONS,
  QUOTA_NAMES,
  RUN_ERRORS,
  SANDBOX_LEVELS,
  STORAGE_ERRORS,
  WAITING_REASONS,
  WORKER_STATUSES,
} from '@trawl/contracts';
import matter from 'gray-matter';
import { formatLimit } from '../src/components/contracts/format-limit';
import * as words from './contract-words';
import { DOCS_SECTIONS } from './docs-sections';
import { LIMIT_WORDS, QUOTA_WORDS } from './limit-words';
import { readOffers } from './offers';
import { CONTACT_HEAD } from './pages/contact';
import { FAQ_PAGE } from './pages/faq';
import { AUDIENCES, FEATURES, HOME } from './pages/home';
import { NOT_FOUND } from './pages/not-found';
import { PLATFORM_PAGE } from './pages/platform';
import { PRICING_PAGE } from './pages/pricing';
import { SERVICES_PAGE } from './pages/services-page';
import { SIGN_UP_PAGE } from './pages/sign-up';
import sampleRun from './sample-run.json';
import { ACCOUNT_COLUMN, FOOTER_COLUMNS, LEGAL_COLUMN, NAVBAR_LINKS, SIGN_UP } from './site-links';

const DOCS = join(__dirname, '../docs');

interface Page {
  file: string;
  route: string;
  title: string;
  description: string;
  keywords: readonly string[];
}

const docs: Page[] = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.mdx'))
  .map(file => {
    const { data } = matter(readFileSync(join(DOCS, file), 'utf8'));
    const route = `/docs/${file}`.replace(/(\/index)?\.mdx$/, '');
    return { file, route, title: data.title, description: data.description, keywords: data.keywords };
  });
const proseOf = (services: 'on' | 'off'): Page[] => [
  { file: 'content/pages/home.ts', route: '/', ...HOME },
  { file: 'content/pages/platform.ts', route: '/platform', ...PLATFORM_PAGE },
  { file: 'content/pages/pricing.ts', route: '/pricing', ...PRICING_PAGE[services] },
  { file: 'content/pages/faq.ts', route: '/faq', ...FAQ_PAGE },
  { file: 'content/pages/not-found.ts', route: '/404', ...NOT_FOUND },
  ...['privacy-policy', 'terms-of-service'].map(name => {
    const { data } = matter(readFileSync(join(__dirname, `../src/pages/legal/${name}.mdx`), 'utf8'));
    const { title, description, keywords } = data;
    return { file: `legal/${name}.mdx`, route: `/legal/${name}`, title, description, keywords };
  }),
  { file: 'content/pages/services-page.ts', route: '/services', ...SERVICES_PAGE[services] },
  { file: 'content/pages/contact.ts', route: '/contact', ...CONTACT_HEAD[services] },
  { file: 'content/pages/sign-up.ts', route: '/sign-up', ...SIGN_UP_PAGE },
];
const offers: Page[] = (['services', 'industries'] as const).flatMap(kind =>
  readOffers(kind).map(({ slug, file, matter: offer }) => ({
    file,
    route: `/${kind}/${slug}`,
    title: offer.title,
    description: offer.description,
    keywords: offer.keywords,
  })),
);
const pages = [...proseOf('on'), ...docs, ...offers];
const withoutServices = proseOf('off').map(page => ({ ...page, file: `${page.file}, without services` }));

test.each([...pages, ...withoutServices].map(page => [page.file, page] as const))(
  'the page %s has a title, description and keywords of the right length',
  (_, page) => {
    expect(page.title.length).toBeGreaterThanOrEqual(4);
    expect(page.title.length).toBeLessThanOrEqual(60);
    expect(page.description.length).toBeGreaterThanOrEqual(80);
    expect(page.description.length).toBeLessThanOrEqual(160);
    expect(page.keywords.length).toBeGreaterThanOrEqual(3);
  },
);

test('no two pages of the website share a route, a title or a description', () => {
  for (const field of ['route', 'title', 'description'] as const) {
    const values = pages.map(page => page[field]);
    expect(values).toEqual([...new Set(values)]);
  }
});

test('the website’s navigation bar and footer have unique links without a trailing slash', () => {
  for (const links of [NAVBAR_LINKS, [...FOOTER_COLUMNS, LEGAL_COLUMN].flatMap(column => column.links)]) {
    const targets = links.map(({ to }) => to);
    expect(targets).toEqual([...new Set(targets)]);
  }
  const all = [
    NAVBAR_LINKS,
    ...[...FOOTER_COLUMNS, LEGAL_COLUMN, ACCOUNT_COLUMN].map(({ links }) => links),
    [SIGN_UP],
  ].flat();
  for (const { to, label } of all) {
    expect(to).toMatch(/^(\/[a-z0-9-]+)+$/);
    expect(label.trim()).not.toBe('');
  }
});

test('the home page of the website lists six features and twelve audiences', () => {
  const titles = FEATURES.map(({ title }) => title.toLowerCase());
  expect(titles).toEqual([
    'dynamic content mining',
    'anti-bot evasion',
    'automation builder',
    'real-time data',
    'data cleaning',
    'api integration',
  ]);
  expect(new Set(AUDIENCES.map(({ title }) => title)).size).toBe(12);
});

test('each folder of the documentation has a card on the page /docs', () => {
  const folders = readdirSync(DOCS, { withFileTypes: true }).filter(entry => entry.isDirectory());
  const cards = DOCS_SECTIONS.map(({ folder }) => folder);
  expect(cards).toHaveLength(6);
  expect(folders.map(({ name }) => name).filter(name => !cards.includes(name))).toEqual([]);
});

test('contract-words explains every status, error, waiting reason, echo type and quota of the contracts', () => {
  const pairs: [readonly string[], object][] = [
    [ACTIONS, words.ACTION_WORDS],
    [WAITING_REASONS, words.WAITING_WORDS],
    [Object.keys(API_ERRORS), words.API_ERROR_WORDS],
    [Object.keys(RUN_ERRORS), words.RUN_ERROR_REMEDIES],
    [ECHO_TYPES, words.ECHO_WORDS],
    [ENVIRONMENTS, words.ENVIRONMENT_WORDS],
    [WORKER_STATUSES, words.WORKER_STATUS_WORDS],
    [SANDBOX_LEVELS, words.SANDBOX_WORDS],
    [STORAGE_ERRORS, words.STORAGE_ERROR_WORDS],
    [QUOTA_NAMES, QUOTA_WORDS],
  ];
  for (const [names, table] of pairs) expect(Object.keys(table).sort()).toEqual([...names].sort());
  expect(Object.keys(LIMITS)).toEqual(expect.arrayContaining(Object.keys(LIMIT_WORDS)));
});

test('contract-words marks exactly the live actions of runs as not final', () => {
  const live = ACTIONS.filter(action => words.ACTION_WORDS[action].kind !== 'final');
  expect(live).toEqual([...LIVE_ACTIONS]);
});

test('formatLimit shows a limit in the unit of its name, such as KiB or characters', () => {
  expect(formatLimit('outputBytes', 512 * 1024)).toBe('512 KiB');
  expect(formatLimit('echoBytesPerRun', 64 * 1024 * 1024)).toBe('64 MiB');
  expect(formatLimit('echoMsgChars', 100_000)).toBe('100,000 characters');
});

test('the recorded run of the home page is consistent in its rows, echoes, times and output', () => {
  expect(sampleRun.rows.length).toBeLessThanOrEqual(sampleRun.output.stored);
  expect(sampleRun.echoes.at(-1)?.msg).toContain(`${sampleRun.output.stored} books`);
  const times = [...sampleRun.echoes.map(({ at_ms }) => at_ms), sampleRun.duration_ms];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(sampleRun.rows.map(({ echo }) => echo).filter(echo => !sampleRun.echoes[echo])).toEqual([]);
});
