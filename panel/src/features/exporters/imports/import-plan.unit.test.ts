import { type ImportPlan, importBody, plannedColumns, planProblems, withEdit } from './import-plan.js';

const column = (index: number, field: string, isImported = true, isTypeChosen = false) => ({
  index,
  name: `Column ${index}`,
  field,
  type: 'text' as const,
  isImported,
  isTypeChosen,
});

const plan: ImportPlan = {
  reading: { delimiter: 'semicolon', header: true },
  target: { kind: 'collection', databaseId: 'd', collection: ' books ', schema: 'public', table: '' },
  columns: [column(0, 'isbn'), column(1, ' title ', true, true), column(2, 'unwanted', false)],
  key: ['isbn'],
  skipBadRows: true,
};

describe('the plan of an import', () => {
  it('sends the chosen columns, the target and how to read the file', () => {
    expect(planProblems(plan)).toEqual({});
    expect(importBody(plan)).toEqual({
      delimiter: 'semicolon',
      header: true,
      db_id: 'd',
      collection: 'books',
      columns: [
        // The guess is left out: it does not convert cells, as a choice does.
        { index: 0, field: 'isbn' },
        { index: 1, field: 'title', type: 'text' },
      ],
      key: ['isbn'],
      skip_bad_rows: true,
    });
  });

  it('leaves out columns and key if the file has no columns', () => {
    const body = importBody({ ...plan, columns: [], key: [] });
    expect(body).not.toHaveProperty('columns');
    expect(body).not.toHaveProperty('key');
  });

  it.each([
    [{ target: { ...plan.target, databaseId: '' } }, 'database'],
    [{ target: { ...plan.target, collection: '  ' } }, 'collection'],
    [{ target: { ...plan.target, kind: 'table' as const } }, 'table'],
    [{ target: { ...plan.target, kind: 'table' as const, schema: ' ' } }, 'schema'],
    [{ columns: [column(0, 'isbn', false)] }, 'columns'],
    [{ columns: [column(0, 'isbn'), column(1, 'isbn')] }, 'columns'],
    [{ columns: [column(0, 'isbn'), column(1, ' ')] }, 'columns'],
    [{ key: ['unwanted'] }, 'key'],
  ])('reports the problem of %j at its field', (change, field) => {
    expect(Object.keys(planProblems({ ...plan, ...change }))).toContain(field);
  });

  it('keeps edited columns when the file is read another way, and restores them with the former delimiter', () => {
    const preview = (...names: string[]) => ({
      format: 'csv' as const,
      encoding: 'utf-8' as const,
      columns: names.map((name, index) => ({
        index,
        name,
        field: name || `column_${index + 1}`,
        type: 'text' as const,
      })),
      documents: [],
      bad_rows: [],
    });
    const fields = (names: string[], edits: Parameters<typeof plannedColumns>[1]) =>
      plannedColumns(preview(...names), edits).map(({ field }) => field);
    const edits = withEdit({}, preview('sku', 'price'), column(1, 'price'), { field: 'cost' });
    expect(fields(['sku', 'price'], edits)).toEqual(['sku', 'cost']);
    expect(fields(['', ''], edits)).toEqual(['column_1', 'cost']);
    expect(fields(['sku;price'], edits)).toEqual(['sku;price']);
    const typed = withEdit({}, preview('sku'), column(0, 'sku'), { type: 'number' });
    expect(plannedColumns(preview('sku'), typed)[0]).toMatchObject({ type: 'number', isTypeChosen: true });
    expect(plannedColumns(preview('sku', 'price'), edits)[1]).toMatchObject({
      isTypeChosen: false,
      name: 'price',
      type: 'text',
      isImported: true,
    });
  });
});
