import { Decimal128, ObjectId } from 'bson';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';

const { app, admin } = appForFile();
const database = databaseForFile(app);

const groups = (at: string, query: Record<string, string>) =>
  database.api('GET', `${at}/groups?${new URLSearchParams(query)}`);

describe('the groups of a collection', () => {
  it('have the number of their documents, and the sum, average, minimum and maximum of a field', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany([
      { seller: { country: 'HR' }, price: 10 },
      { seller: { country: 'HR' }, price: '2.50' },
      { seller: { country: 'HR' }, price: Decimal128.fromString('1.5') },
      { seller: { country: 'DE' }, price: 'on request' },
      { seller: 'unknown', price: Number.NaN },
    ]);
    expect((await groups(at, { by: 'seller.country', of: 'price' })).body).toEqual({
      items: [
        { group: 'HR', count: 3, sum: 14, average: 14 / 3, min: 1.5, max: 10 },
        { group: null, count: 1, sum: null, average: null, min: null, max: null },
        { group: 'DE', count: 1, sum: null, average: null, min: null, max: null },
      ],
    });
    expect((await groups(at, { by: 'seller.country', filter: '{"price":10}' })).body).toEqual({
      items: [{ group: 'HR', count: 1 }],
    });
  });

  it('begin at the hours, days and months of the time zone, for dates, ISO texts and ObjectIds', async () => {
    const { at, collection } = database.fresh();
    const late = '2026-01-31T23:30:00.000Z';
    await collection.insertMany([
      { _id: ObjectId.createFromTime(Date.parse(late) / 1_000), at: new Date(late), text: late },
      { _id: ObjectId.createFromTime(Date.parse('2026-03-29T10:00:00Z') / 1_000), at: 'never', text: '2026-03-29' },
    ]);
    const begins = async (by: string, every: string, time_zone: string) =>
      (await groups(at, { by, every, time_zone })).body.items.map(({ group }: { group: unknown }) => group);
    expect(await begins('at', 'month', 'Europe/Zagreb')).toEqual(['2026-01-31T23:00:00.000Z', null]);
    expect(await begins('_id', 'day', 'Europe/Zagreb')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
    ]);
    expect(await begins('text', 'hour', 'UTC')).toEqual(['2026-03-29T00:00:00.000Z', '2026-01-31T23:00:00.000Z']);
  });

  it.each(['$where', '$ROOT', 'a.b', 'a.$b.c', '__proto__', 'constructor', `"'; DROP`, '$$ROOT', ' '])(
    'can be those of a field named %j, because names are data',
    async name => {
      const { at, collection } = database.fresh();
      // A path names the field inside others, if no field has the whole name.
      const nested = name.split('.').reduceRight<unknown>((value, part) => Object.fromEntries([[part, value]]), 'x');
      await collection.insertMany([Object.fromEntries([[name, 'x']]), nested as object, {}]);
      expect((await groups(at, { by: name, of: name })).body.items).toMatchObject([
        { group: 'x', count: 2, sum: null },
        { group: null, count: 1 },
      ]);
    },
  );

  it('are at most 1,000, the largest first, and say that there are more', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany(Array.from({ length: 1_002 }, (_, n) => ({ n: Math.max(1, n) })));
    const { body } = await groups(at, { by: 'n' });
    expect([body.items.length, body.items[0], body.truncated]).toEqual([1_000, { group: 1, count: 2 }, true]);
  });

  it.each([
    [{ by: '' }, 'by'],
    [{ by: 'n', every: 'minute' }, 'every'],
    [{ by: 'n', time_zone: 'Mars/Phobos' }, 'time_zone'],
    [{ by: 'n', filter: '{' }, 'filter'],
  ])('are refused with %j', async (query, field) => {
    const { status, body } = await groups(database.fresh().at, query as Record<string, string>);
    expect([status, (body.details ?? body.fields)[0].field]).toEqual([400, field]);
  });

  it('are hidden from other accounts, and 404 names a missing collection', async () => {
    const { at, name, collection } = database.fresh();
    expect((await groups(at, { by: 'n' })).body.error_message).toContain(name);
    await collection.insertOne({ n: 1 });
    expect((await groups(at, { by: 'n' })).status).toBe(200);
    expect((await admin('GET', `${at}/groups?by=n`)).status).toBe(404);
  });
});
