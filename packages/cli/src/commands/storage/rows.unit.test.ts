import { Trawl } from '@trawl/client';
import { Output } from '../../terminal/output.js';
import rows, { type RowsOptions } from './rows.js';

const ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
let trawl: Trawl;
jest.mock('../../session/connect.js', () => ({ connect: async () => trawl }));

/** Runs the command against a collection with these documents, and returns what it writes. */
async function printed(
  documents: Record<string, unknown>[],
  options: RowsOptions = {},
  { isJson = false, name = 'books' } = {},
) {
  let text = '';
  const queries: Record<string, string>[] = [];
  const fetch = async ({ url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    const query = Object.fromEntries(searchParams);
    if (pathname.endsWith(`/skript-execution/${ID}`)) return Response.json({ id: ID, action: 'end' });
    if (pathname.includes('/mongo-collections/')) return Response.json({ items: [] });
    queries.push({ path: pathname.split('/').at(-1) ?? '', ...query });
    const from = Number(query.after ?? 0);
    const to = from + Number(query.limit);
    const page = documents.slice(from, to);
    const next = to < documents.length ? String(to) : undefined;
    if (!pathname.endsWith('/csv') && query.format !== 'csv') return Response.json({ items: page, next });
    const columns = [...new Set([...(query.select?.split(',') ?? []), ...page.flatMap(row => Object.keys(row))])];
    const lines = [columns, ...page.map(row => columns.map(name => row[name] ?? ''))].map(cells => `${cells}\n`);
    return new Response(lines.join(''), { headers: next ? { 'x-next-cursor': next } : {} });
  };
  trawl = new Trawl({ url: 'http://trawl.test', key: 'trk_1', fetch });
  const write = (piece: string, done?: () => void) => {
    text += piece;
    done?.();
    return true;
  };
  const stdout = { isTTY: false, write } as NodeJS.WriteStream;
  const database = name === ID ? undefined : ID;
  await rows(name, { database, ...options }, { output: new Output(isJson, stdout, stdout) });
  return { text, queries };
}

const many = Array.from({ length: 2_500 }, (_, n) => (n < 1_200 ? { n } : { n, late: 'x' }));

it('`trawl rows` prints the documents of all pages as one JSON value a line', async () => {
  const { text } = await printed(many);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(many);
});

it('`trawl rows` prints plain JSON, or Extended JSON with --extended', async () => {
  for (const [options, format] of [
    [{}, 'relaxed'],
    [{ extended: true }, 'extended'],
  ] as const)
    expect((await printed([{ n: 1 }], options)).queries).toMatchObject([{ path: 'list', format }]);
});

it('`trawl rows --csv` prints a single page exactly as the API sends it', async () => {
  const { text, queries } = await printed([{ n: 1 }, { n: 2 }], { csv: true, filter: '{"n":1}' });
  expect([text, queries]).toEqual(['n\n1\n2\n', [{ path: 'csv', limit: '1000', filter: '{"n":1}' }]]);
});

it('`trawl rows --csv` prints several pages under one header that has the fields of all documents', async () => {
  const { text } = await printed(many, { csv: true });
  const lines = text.trimEnd().split('\n');
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([2_501, 'n,late', '0,', '2499,x']);
});

it.each([5, 1_000, 1_001])('`trawl rows --limit %d` prints exactly that many documents', async limit => {
  expect((await printed(many, { limit: String(limit) })).text.match(/\n/g)).toHaveLength(limit);
  expect((await printed(many, { limit: String(limit), csv: true })).text.match(/\n/g)).toHaveLength(limit + 1);
});

it.each<[RowsOptions, boolean]>([
  [{ limit: '0' }, false],
  [{ limit: 'all' }, false],
  [{ filter: '[1]' }, false],
  [{ filter: '{' }, false],
  [{ csv: true }, true],
  [{ csv: true, extended: true }, false],
])('`trawl rows` refuses wrong options with exit code 2: %j', async (options, isJson) => {
  await expect(printed([], options, { isJson })).rejects.toMatchObject({ exitCode: 2 });
});

it('`trawl rows --csv` fails if the API cannot select a field, instead of leaving it out', async () => {
  const documents = many.map(row => ({ ...row, 'a,b': 1 }));
  await expect(printed(documents, { csv: true })).rejects.toThrow('do not fit into one CSV');
});

it('`trawl rows` prints the rows of a run in the same formats as documents', async () => {
  const { text, queries } = await printed(many, {}, { name: ID });
  expect(text.match(/\n/g)).toHaveLength(2_500);
  expect(queries.map(({ path, after }) => [path, after])).toEqual([
    ['rows', undefined],
    ['rows', '1000'],
    ['rows', '2000'],
  ]);
  const csv = await printed(many, { csv: true, limit: '1001' }, { name: ID });
  expect(csv.text.split('\n', 2)).toEqual(['n', '0']);
  expect(csv.text.match(/\n/g)).toHaveLength(1_002);
  await expect(printed([], { filter: '{}' }, { name: ID })).rejects.toThrow('--database, --filter and --extended');
});
