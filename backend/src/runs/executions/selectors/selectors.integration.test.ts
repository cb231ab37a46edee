import { gzipSync } from 'node:zlib';
import type { Evidence, KeptExchange } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { EvidenceRepository } from '../evidence/evidence.repository.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const BOOKS = Array.from({ length: 30 }, (_, n) => ({ sku: `sku-${n}`, price: 5.25 + n }));
const pathOf = (id: string, query = 'field=price') => `/joint-api/skript-execution/${id}/selectors?${query}`;
const suggest = async (id: string, query?: string) => (await developer('GET', pathOf(id, query))).body;

function pageSeen(url: string, html: string, change: Partial<KeptExchange> = {}): KeptExchange {
  const times = { started_at: '2026-02-15T09:30:00.000Z', duration_ms: 84 };
  const request = { sequence: 1, via: 'undici' as const, method: 'GET', url, request_headers: [], request_body: null };
  const answer = {
    status: 200,
    status_text: 'OK',
    response_headers: [['Content-Type', 'text/html']] as [string, string][],
  };
  const body = { body: { encoding: 'text' as const, data: html }, body_bytes: html.length, is_cut: false, error: null };
  return { ...times, ...request, ...answer, ...body, ...change };
}

/** The shop after its redesign: ten books a page. */
const pages = [0, 10, 20].map(from =>
  pageSeen(
    `https://books.example/list?from=${from}`,
    BOOKS.slice(from, from + 10)
      .map(({ sku, price }) => `<div data-sku="${sku}"><i>4.5</i><b class="css-1x2y3z amount">£${price}</b></div>`)
      .join(''),
  ),
);

/** Waits for the verdict on a run: later runs are compared with it only then. */
const judged = async (id: string) =>
  (
    await until(
      async () => (await developer('GET', `/joint-api/skript-execution/${id}`)).body,
      body => body.verdict !== null,
    )
  ).verdict;

/** Runs the skript so that it stores rows, with `dataset.push` or in a collection. Returns when the run has its verdict. */
async function storing(target: 'dataset' | 'books' = 'dataset') {
  const worker = await fleet.connect();
  return async (rows: object[], failure?: object): Promise<string> => {
    const { body } = await fleet.start({ input: target });
    const { id, token, skript } = await worker.offers.next();
    if (failure) {
      await worker.finish(id, { action: 'error', output: null, error_code: 'exception', ...failure });
      return body.id;
    }
    if (rows.length === 0) {
      await worker.finish(id, {});
      await judged(body.id);
      return body.id;
    }
    const isDataset = target === 'dataset';
    const docs = rows.map(row => ({ _id: new ObjectId(), ...(isDataset && { _run: id, _at: new Date() }), ...row }));
    const collection = isDataset ? `dataset_${skript.id}` : target;
    const op = { collection, method: 'insertMany', args: encodeMessage({ docs, ordered: true }), resend: false };
    const all = { ...op, ...(isDataset && { rows: rows.length }) };
    await worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: 1, token, op: all });
    const write = {
      store: 'mongodb' as const,
      database: null,
      name: target,
      inserted: rows.length,
      updated: 0,
      deleted: 0,
    };
    await worker.finish(id, isDataset ? { rows: rows.length } : { writes: [write] });
    await judged(body.id);
    return body.id;
  };
}

/** Keeps what a run saw. */
async function saw(id: string, exchanges: KeptExchange[], page: Evidence['page'] = null): Promise<void> {
  const [run] = await app.sql<{ owner_id: string }>('SELECT owner_id FROM executions WHERE id = $1', [id]);
  const gz = gzipSync(JSON.stringify({ exchanges, page } satisfies Evidence));
  await app.part(EvidenceRepository).save(run?.owner_id ?? '', id, { items: [], page: null }, gz);
}

/** A run whose prices are empty, after good ones. */
async function brokenRun(target?: 'dataset' | 'books'): Promise<string> {
  const run = await storing(target);
  for (let n = 0; n < 3; n++) await run(BOOKS);
  return run(BOOKS.map(book => ({ ...book, price: null })));
}

it('suggests where the values of the last good run are on the pages of a broken run', async () => {
  const id = await brokenRun();
  const verdict = await judged(id);
  const finding = { what: 'filled', field: 'price', target: 'dataset' };
  expect(verdict).toMatchObject({ level: 'broken', findings: [finding] });
  await saw(id, pages);
  const answer = {
    items: [{ selector: '.amount', attribute: null, pages: 3, example: '£5.25' }],
    pages: 3,
    reason: null,
  };
  expect(await suggest(id)).toEqual(answer);
  expect(await suggest(id)).toEqual(answer);
});

it('knows old values of a collection, and looks at the page that a browser showed', async () => {
  const id = await brokenRun('books');
  const html = '<p class="cost">£7.25</p>';
  await saw(id, [], { title: 'Book', url: 'https://books.example/', picture: null, html, console: [] });
  expect(await suggest(id, 'field=price&target=mongodb:books')).toMatchObject({
    items: [{ selector: '.cost', pages: 1, example: '£7.25' }],
    pages: 1,
  });
});

it('reads only HTML pages that were found', async () => {
  const id = await brokenRun();
  const html = '<b class="amount">£5.25</b>';
  await saw(id, [
    pageSeen('https://books.example/missing', html, { status: 404 }),
    pageSeen('https://books.example/none', html, { status: null, body: null }),
    pageSeen('https://books.example/a.json', '{"price":5.25}', {
      response_headers: [['content-type', 'application/json']],
    }),
    pageSeen('https://books.example/a.png', '', { body: { encoding: 'base64', data: 'iVBORw0KGgo=' } }),
    pageSeen('https://books.example/untyped', `<!doctype html>${html}`, { response_headers: [] }),
    pageSeen('not a url', html),
  ]);
  expect(await suggest(id)).toMatchObject({ items: [{ selector: '.amount', pages: 2 }], pages: 2 });
});

it('says why it suggests nothing', async () => {
  const run = await storing();
  const first = await run(BOOKS);
  const reasonOf = async (id: string, query?: string) => {
    const { items, reason } = await suggest(id, query);
    expect(items).toEqual([]);
    return reason;
  };
  expect(await reasonOf(first)).toContain('has kept no pages of this run');
  await saw(first, pages);
  expect(await reasonOf(first)).toContain('No earlier good run');
  const second = await run(BOOKS);
  await saw(second, [pageSeen('https://books.example/', '<p>Closed</p>')]);
  expect(await reasonOf(second)).toContain('No element of the page has old values of price');
  expect(await reasonOf(second, 'field=no.such')).toContain(
    'No row of the last good run has text or a number in no.such',
  );
  expect(await reasonOf(second, 'field=price&target=postgresql:books')).toContain('no old values of postgresql:books');
  const third = await run(BOOKS);
  await saw(third, []);
  expect(await reasonOf(third)).toContain('no HTML page');
});

describe('of a run that lacks rows', () => {
  const suggestRows = async (id: string, query = '') =>
    (await developer('GET', `/joint-api/skript-execution/${id}/row-selectors${query}`)).body;
  const found = {
    row: { selector: '[data-sku]', pages: 3, rows: 30 },
    fields: [
      { field: 'sku', items: [{ selector: '[data-sku]', attribute: 'data-sku', pages: 3, example: 'sku-0' }] },
      { field: 'price', items: [{ selector: '.amount', attribute: null, pages: 3, example: '£5.25' }] },
    ],
    pages: 3,
    reason: null,
  };

  it('suggests selectors of a row and its fields if it has none', async () => {
    const run = await storing();
    for (let n = 0; n < 3; n++) await run(BOOKS);
    const id = await run([]);
    expect(await judged(id)).toMatchObject({ level: 'broken', findings: [{ what: 'rows', field: null, now: 0 }] });
    await saw(id, pages);
    expect(await suggestRows(id)).toEqual(found);
  });

  it('compares only pages with missing rows, and says if the run saw none', async () => {
    const run = await storing();
    await run(BOOKS);
    const id = await run(BOOKS.slice(0, 10));
    await saw(id, pages);
    expect(await suggestRows(id)).toMatchObject({ row: { pages: 2, rows: 20 }, pages: 2, reason: null });
    await run(BOOKS);
    const other = await run(BOOKS.slice(0, 10));
    await saw(other, pages.slice(0, 1));
    const { fields, reason } = await suggestRows(other);
    expect(fields).toEqual([]);
    expect(reason).toContain('None of 20 missing rows is on a page that the run saw');
  });

  it('takes old values from a collection', async () => {
    const run = await storing('books');
    await run(BOOKS);
    const id = await run([]);
    await saw(id, pages);
    expect(await suggestRows(id, '?target=mongodb:books')).toEqual(found);
  });

  it.each(['dataset', 'books'] as const)('knows where the good run stored rows if the run failed: %s', async target => {
    const run = await storing(target);
    await run(BOOKS);
    const id = await run([], { error_stack: "TypeError: Cannot read properties of null (reading 'textContent')" });
    await saw(id, pages);
    expect(await suggestRows(id)).toEqual(found);
    expect((await suggest(id)).items).toMatchObject([{ selector: '.amount', pages: 3 }]);
  });

  it('says why it suggests nothing', async () => {
    const run = await storing();
    const first = await run(BOOKS);
    const reasonOf = async (id: string, query?: string) => {
      const { row, fields, reason } = await suggestRows(id, query);
      expect({ row, fields }).toEqual({ row: null, fields: [] });
      return reason;
    };
    expect(await reasonOf(first)).toContain('has kept no pages of this run');
    await saw(first, pages);
    expect(await reasonOf(first)).toContain('No earlier good run');
    expect(await reasonOf(await run(BOOKS))).toContain('has kept no pages');
    const same = await run(BOOKS);
    await saw(same, pages);
    expect(await reasonOf(same)).toContain('no row of the last good run that this run lacks');
    expect(await reasonOf(same, '?target=postgresql:books')).toContain('no old values of postgresql:books');
    const none = await run([]);
    await saw(none, []);
    expect(await reasonOf(none)).toContain('no HTML page');
    const closed = await run([]);
    await saw(closed, [pageSeen('https://books.example/', '<p>Closed</p>')]);
    expect(await reasonOf(closed)).toContain('No element of the page has values of the missing rows');
  });

  it('answers 404 for runs of others, and refuses an empty target', async () => {
    const id = await brokenRun();
    expect((await admin('GET', `/joint-api/skript-execution/${id}/row-selectors`)).status).toBe(404);
    expect((await developer('GET', `/joint-api/skript-execution/${id}/row-selectors?target=`)).status).toBe(400);
  });
});

it('refuses a field that is an operator, and answers 404 for runs of others', async () => {
  const id = await brokenRun();
  await saw(id, pages);
  expect((await admin('GET', pathOf(id))).status).toBe(404);
  const wrong = [
    '',
    'field=',
    'field=$where',
    'field=a.$gt',
    `field=${'x'.repeat(201)}`,
    'field=a&field=b',
    'field=price&target=',
  ];
  for (const query of wrong)
    expect({ query, status: (await developer('GET', pathOf(id, query))).status }).toEqual({ query, status: 400 });
  expect((await suggest(id, 'field=__proto__')).items).toEqual([]);
  expect((await suggest(id, 'field=price&target=mongodb:no_such')).items).toEqual([]);
});
