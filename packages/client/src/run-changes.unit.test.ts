import { Trawl } from './index.js';

const [FIRST, SECOND] = ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072'];
const skript = { id: FIRST, name: 'Books' };

const attempt = (number: number, action: string, more: object = {}) => ({
  id: number === 1 ? FIRST : SECOND,
  skript,
  action,
  attempt: number,
  retry_of: number === 1 ? null : FIRST,
  waiting_for: null,
  rows: 0,
  ...more,
});

/** A client whose reads of a run return these states in order, and whose runs have rows. */
function clientOf(states: ReturnType<typeof attempt>[], rows: Record<string, number> = {}) {
  let reads = 0;
  const paths: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search, searchParams } = new URL(request.url);
    paths.push(pathname + search);
    if (pathname.endsWith('/list')) {
      const next = states.slice(reads).find(state => state.attempt === 2);
      return Response.json({ items: next ? [next] : [] });
    }
    if (pathname.endsWith('/rows')) {
      const id = pathname.split('/').at(-2) as string;
      const [after, limit] = [Number(searchParams.get('after') ?? 0), Number(searchParams.get('limit'))];
      const stored = Math.min(rows[id] ?? 0, states[reads - 1]?.rows ?? 0);
      const items = Array.from({ length: stored }, (_, n) => ({ _id: n + 1, n: n + 1 })).slice(after, after + limit);
      return Response.json({ items, ...(after + limit < stored && { next: String(after + limit) }) });
    }
    reads += 1;
    return Response.json(states[reads - 1]);
  };
  return { trawl: new Trawl({ url: 'http://trawl.test', key: 'trk_1', fetch }), paths };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const waits = (reason: string, place?: number) => ({ waiting_for: { reason, since: '2026-01-01T00:00:00Z', place } });

it('changes of a run yields each state, place in a queue and attempt once', async () => {
  const { trawl } = clientOf([
    attempt(1, 'start', waits('libraries_resolving', 2)),
    attempt(1, 'start', waits('libraries_resolving', 2)),
    attempt(1, 'start', waits('libraries_resolving', 1)),
    attempt(1, 'start'),
    attempt(1, 'start', { rows: 3 }),
    attempt(1, 'error'),
    attempt(2, 'start', waits('retry_scheduled')),
    attempt(2, 'end'),
  ]);
  const changes = await all(trawl.runById(FIRST).changes());
  expect(changes.map(run => [run.attempt, run.action, run.waiting_for?.place ?? run.waiting_for?.reason])).toEqual([
    [1, 'start', 2],
    [1, 'start', 1],
    [1, 'start', undefined],
    [1, 'error', undefined],
    [2, 'start', 'retry_scheduled'],
    [2, 'end', undefined],
  ]);
});

it('changes of a run yields each number of packages that npm has found', async () => {
  const found = (packages: number) =>
    attempt(1, 'start', { waiting_for: { reason: 'libraries_resolving', since: '2026-01-01T00:00:00Z', packages } });
  const { trawl } = clientOf([found(90), found(90), found(214), attempt(1, 'end')]);
  const changes = await all(trawl.runById(FIRST).changes());
  expect(changes.map(run => run.waiting_for?.packages)).toEqual([90, 214, undefined]);
});

it('rows of a run with follow yields each row of each attempt once, also those of a page that grows', async () => {
  const states = [0, 2, 2, 2_500].map(rows => attempt(1, 'start', { rows }));
  const { trawl, paths } = clientOf(
    [...states, attempt(1, 'error', { rows: 2_501 }), attempt(2, 'start'), attempt(2, 'end', { rows: 1 })],
    { [FIRST]: 2_501, [SECOND]: 1 },
  );
  const rows = await all(trawl.runById(FIRST).rows<{ n: number }>({ follow: true }));
  const expected = [...Array.from({ length: 2_501 }, (_, n) => n + 1), 1];
  expect(rows.map(({ n }) => n)).toEqual(expected);
  const reads = paths.filter(path => path.includes('/rows')).map(path => /after=(\d+)/.exec(path)?.[1] ?? '0');
  expect(reads).toEqual(['0', '0', '1000', '2000', '2000', '0']);
});

it('rows of a run with follow yields the rows that a retry replaces among rows that were read before', async () => {
  const early = Array.from({ length: 1_001 }, (_, n) => 10 * (n + 1));
  const ids = [early, early, [...early.slice(0, -1), 10_005, 10_010], [5, ...early.slice(0, -1), 10_005, 10_010]];
  let reads = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/list')) return Response.json({ items: [] });
    if (pathname.endsWith('/rows')) {
      const left = (ids[reads - 1] ?? []).filter(id => id > Number(searchParams.get('after') ?? 0));
      const items = left.slice(0, 1_000).map(_id => ({ _id }));
      return Response.json({ items, ...(left.length > 1_000 && { next: String(items.at(-1)?._id) }) });
    }
    reads += 1;
    return Response.json(attempt(2, reads < ids.length ? 'start' : 'error', { rows: ids[reads - 1]?.length }));
  };
  const trawl = new Trawl({ url: 'http://trawl.test', key: 'trk_1', fetch });
  const rows = await all(trawl.runById(SECOND).rows<{ _id: number }>({ follow: true }));
  expect(rows.map(({ _id }) => _id)).toEqual([...early, 10_005, 5]);
});
