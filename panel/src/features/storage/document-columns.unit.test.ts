import { cellText, documentColumns, fieldOf, timeOf } from './document-columns.js';

describe('the documents table', () => {
  it('has _id as its first column, then the other fields by frequency', () => {
    const documents = [
      { title: 'a', _id: 1, rare: true },
      { _id: 2, price: 1, title: 'b' },
      { _id: 3, price: 2, title: 'c', a: 1, b: 1, c: 1, d: 1, e: 1 },
    ];
    expect(documentColumns(documents)).toEqual(['_id', 'title', 'price', 'rare', 'a', 'b', 'c', 'd', 'e']);
  });

  it('has at most 60 columns', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field_${n}`, n]));
    expect(documentColumns([{ _id: 1, ...many }])).toHaveLength(60);
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'shows a field named %s only for the documents that have it',
    field => {
      const having = JSON.parse(`{ "_id": 1, "${field}": "Ferrari" }`);
      expect(documentColumns([having, { _id: 2 }])).toEqual(['_id', field]);
      expect(cellText(fieldOf(having, field))).toBe('Ferrari');
      expect(cellText(fieldOf({ _id: 2 }, field))).toBe('');
    },
  );

  it.each([
    [{ $date: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00Z'],
    ['2026-11-27T09:56:00.542603+01:00', '2026-11-27T09:56:00.542603+01:00'],
    // A day has no time, and a time without a zone is no moment.
    ['2026-11-27', null],
    ['2026-11-27T09:56:00', null],
    ['2026-99-99T09:56:00Z', null],
    [{ $date: { $numberLong: '-62135596800001' } }, null],
    [{ $date: '2026-01-01T00:00:00Z', other: 1 }, null],
    [null, null],
    [20261127, null],
  ])('takes %j for the moment %s', (value, moment) => {
    expect(timeOf(value)).toBe(moment);
  });

  it.each([
    [{ $oid: '655b3e0f5f1c2a0012000000' }, '655b3e0f5f1c2a0012000000'],
    [{ $date: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00Z'],
    [{ a: 1 }, '{"a":1}'],
    [[1, 'x'], '[1,"x"]'],
    ['text', 'text'],
    ['evil\u202egpj.exe', 'evilgpj.exe'],
    [null, 'null'],
    [undefined, ''],
  ])('shows %j in a cell as %s', (value, text) => {
    expect(cellText(value)).toBe(text);
  });

  it('truncates long text in a cell', () => {
    expect(cellText('x'.repeat(5000))).toHaveLength(121);
  });
});
