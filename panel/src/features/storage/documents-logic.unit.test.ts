import { conditionsFrom, conditionsText, filterText } from '../../components/mongo-filter/conditions.js';
import { collectionTitle } from '../../components/values/kept-collections.js';
import { changeOf, parseDocuments } from './document-change.js';
import { skriptFieldsFirst } from './document-columns.js';
import { fieldShares, shareText } from './field-shares.js';

describe('the filter of documents', () => {
  const filterOf = (field: string, comparison: string, value = '') =>
    JSON.parse(filterText(conditionsFrom(JSON.stringify([[field, comparison, value]])), '') ?? 'null');

  it('matches a typed value as text and as number, boolean or ObjectId', () => {
    expect(filterOf('price', 'is', '20')).toEqual({ price: { $in: ['20', 20] } });
    expect(filterOf('sold', 'is', 'true')).toEqual({ sold: { $in: ['true', true] } });
    expect(filterOf('_id', 'is', '655b3e0f5f1c2a0012000000')).toEqual({
      _id: { $in: ['655b3e0f5f1c2a0012000000', { $oid: '655b3e0f5f1c2a0012000000' }] },
    });
  });

  it('searches for text literally, not as a regular expression', () => {
    expect(filterOf('title', 'contains', 'a.b (c)')).toEqual({
      title: { $regex: 'a\\.b \\(c\\)', $options: 'i' },
    });
  });

  it('compares numbers as numbers, dates as dates and other values as text', () => {
    expect(filterOf('price', 'at_least', '9.5')).toEqual({ price: { $gte: 9.5 } });
    expect(filterOf('seen', 'at_most', '2026-01-02')).toEqual({
      seen: { $lte: { $date: '2026-01-02T00:00:00.000Z' } },
    });
    expect(filterOf('title', 'at_least', 'm')).toEqual({ title: { $gte: 'm' } });
  });

  it('combines all conditions with the filter that the user typed', () => {
    const conditions = conditionsFrom('[["a","filled"],["b","empty"]]');
    expect(JSON.parse(filterText(conditions, '{ "c": 1 }') ?? '')).toEqual({
      $and: [{ a: { $nin: [null, ''] } }, { b: { $in: [null, ''] } }, { c: 1 }],
    });
    expect(filterText([], ' ')).toBeUndefined();
  });

  it.each(['', 'x', '{}', '[1,["a"],["a","eval","1"]]'])('ignores the invalid conditions %j in the address', text => {
    expect(conditionsFrom(text)).toEqual([]);
  });

  it('reads the conditions that it wrote into the address', () => {
    const conditions = conditionsFrom('[["a,b","is","\\"x\\""],["c","filled",""]]');
    expect(conditionsFrom(conditionsText(conditions))).toEqual(conditions);
  });
});

describe('editing a document', () => {
  it('sends only the fields that changed, and unsets those that were removed', () => {
    const before = { _id: 1, kept: { $date: '2026-01-01T00:00:00Z' }, old: 1, changed: [1] };
    expect(changeOf(before, { _id: 1, kept: { $date: '2026-01-01T00:00:00Z' }, changed: [1, 2], added: null })).toEqual(
      {
        change: { $set: { changed: [1, 2], added: null }, $unset: { old: '' } },
      },
    );
    expect(changeOf(before, { ...before })).toEqual({ change: null });
  });

  it.each([
    [{ _id: 2 }, '_id'],
    [{ _id: 1, 'a.b': 1 }, 'a.b'],
  ])('refuses the changed document %j, because MongoDB cannot apply the change', (after, named) => {
    expect(changeOf({ _id: 1 }, after)).toEqual({ problem: expect.stringContaining(named) });
  });

  it.each(['[]', '[{},1]', '3', '{'])('refuses the text %s, which is not a document', text => {
    expect(parseDocuments(text)).toEqual({ problem: expect.any(String) });
  });
});

describe('the share of documents in which a field is filled', () => {
  it('is counted over all examined documents', () => {
    const shares = fieldShares([
      { _id: 'title', present: 3, filled: 2 },
      { _id: '_id', present: 4, filled: 4 },
    ]);
    expect(shares).toEqual({
      documents: 4,
      filled: new Map([
        ['title', 2],
        ['_id', 4],
      ]),
    });
  });

  it.each([
    [1000, 1000, '100 %'],
    [999, 1000, '99 %'],
    [1, 1000, '1 %'],
    [0, 1000, '0 %'],
    [500, 1000, '50 %'],
  ])('is shown for %i of %i documents as %s', (filled, documents, text) => {
    expect(shareText(filled, documents)).toBe(text);
  });
});

describe('the collections that Trawl names after a skript', () => {
  const id = '01a218d7-0c07-7691-bf34-ea75894f1933';
  const titleOf = (skriptId: string) => (skriptId === id ? 'Prices' : undefined);

  it.each([
    [`dataset_${id}`, 'Dataset of Prices'],
    [`kv_${id}`, 'Key-value store of Prices'],
    [`replay_${id}`, 'Rows of replays of Prices'],
    [`dataset_${id.replace('01', '02')}`, `dataset_${id.replace('01', '02')}`],
    ['dataset_of_mine', 'dataset_of_mine'],
  ])('%s is shown as %s', (collection, title) => {
    expect(collectionTitle(collection, titleOf)).toBe(title);
  });

  it('show the fields of the skript before those that Trawl adds', () => {
    expect(skriptFieldsFirst(['_id', '_run', 'sku', '_at', 'price'])).toEqual(['sku', 'price', '_id', '_run', '_at']);
  });
});
