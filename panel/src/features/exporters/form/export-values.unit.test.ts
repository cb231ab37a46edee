import type { Exporter } from '../../../api/entities.js';
import { exportBody, exporterBody, exporterChange, initialValues, problemsOf, valuesOf } from './export-values.js';
import { columnsOf, flattened } from './preview-rows.js';

const addressOf = (fields: Record<string, string>) => (name: string) => fields[name] ?? '';

const problemFields = (fields: Record<string, string | null>) =>
  Object.entries(fields).flatMap(([field, problem]) => (problem ? [field] : []));

describe('the form of an export', () => {
  it('takes its initial values from the address, and sends them as an export', () => {
    const values = initialValues(
      addressOf({ db_id: 'd', collection: 'books', where: '[["price","at_most","20"]]', filter: '{"sold":false}' }),
    );
    expect(problemFields(problemsOf(values))).toEqual([]);
    expect(exportBody(values)).toEqual({
      source: 'collection',
      db_id: 'd',
      collection: 'books',
      filter: '{"$and":[{"price":{"$lte":20}},{"sold":false}]}',
      format: 'csv',
      flatten: true,
      lists: 'json',
      bom: false,
      escape_formulas: true,
    });
  });

  it('sends only the options that the chosen format has', () => {
    const values = { ...initialValues(addressOf({ source: 'query', sql: 'SELECT 1' })), format: 'ndjson' as const };
    expect(exportBody(values)).toEqual({ source: 'query', sql: 'SELECT 1', format: 'ndjson' });
  });

  it('groups collections and tables as the address says, and never only new documents', () => {
    const address = { db_id: 'd', collection: 'books', by: '_id', every: 'day', of: 'price' };
    const values = initialValues(addressOf(address));
    const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions();
    expect(exportBody(values).group).toEqual({ by: '_id', every: 'day', of: 'price', time_zone });
    expect(exporterBody({ ...values, only_new: true }).only_new).toBe(false);
    const unnamed = { ...values, group: { by: '', every: '' as const, of: '', time_zone } };
    expect(problemFields(problemsOf(unnamed))).toEqual(['group']);
    expect(exporterChange({ ...values, group: null }, values).group).toBeNull();
    expect(exportBody({ ...values, source: 'run', execution_id: 'x' })).not.toHaveProperty('group');
  });

  it('names the required fields that are empty', () => {
    const values = initialValues(addressOf({}));
    expect(problemFields(problemsOf(values))).toEqual(['db_id', 'collection']);
    expect(problemFields(problemsOf({ ...values, source: 'run', destination: 's3' }))).toEqual([
      'execution_id',
      'bucket',
      'region',
      'access_key_id',
      'secret_access_key',
    ]);
    expect(problemFields(problemsOf({ ...values, source: 'run', repeat: 'run' }))).toEqual(['name', 'skript_id']);
  });

  it('saves an exporter for the rows of each run without the id of a run', () => {
    const values = { ...initialValues(addressOf({})), source: 'run' as const, repeat: 'run' as const };
    expect(
      exporterBody({ ...values, execution_id: 'x', name: ' Rows ', skript_id: 's', only_new: true }),
    ).toMatchObject({
      source: 'run',
      name: 'Rows',
      skript_id: 's',
      only_new: false,
    });
    expect(exporterBody({ ...values, execution_id: 'x' })).not.toHaveProperty('execution_id');
  });
});

describe('the form of a saved exporter', () => {
  const exporter: Exporter = {
    id: 'e',
    created_at: '',
    updated_at: '',
    name: 'Prices',
    source: 'collection',
    db_id: 'd',
    collection: 'books',
    filter: '{"n":1}',
    table: null,
    schema: null,
    sql: null,
    group: null,
    format: 'csv',
    fields: 'a,b',
    flatten: true,
    lists: 'json',
    bom: false,
    escape_formulas: true,
    destination: { type: 's3', target: 'b/' },
    only_new: true,
    cron_span: '0 7 * * *',
    time_zone: 'UTC',
    skript_id: null,
    enabled: true,
    next_at: null,
    exported_until: null,
  };
  const before = valuesOf(exporter);

  it('has no problems, and sends an empty change if nothing was edited', () => {
    expect(problemFields(problemsOf(before))).toEqual([]);
    expect(exporterChange(before, before)).toEqual({});
  });

  it('sends the edited fields, and null for the cleared ones', () => {
    const values = { ...before, written: '', fields: [], repeat: 'hand' as const, format: 'json' as const };
    const removed = { filter: null, fields: null, cron_span: null };
    expect(exporterChange(values, before)).toEqual({ ...removed, format: 'json' });
    expect(exporterChange({ ...before, destination: 'none' }, before)).toEqual({ destination: null });
    const email = { ...before, destination: 'email' as const };
    expect(exporterChange(email, before)).toEqual({ destination: { type: 'email' } });
  });
});

describe('the preview of an export', () => {
  const row = { title: 'Emma', seller: { country: 'HR', places: [1] }, at: { $date: 'x' }, empty: {} };

  it('has the same columns as the exported file', () => {
    const flat = flattened(row, true);
    expect(columnsOf([flat], [])).toEqual(['title', 'seller.country', 'seller.places', 'at', 'empty']);
    expect(flat.get('at')).toEqual({ $date: 'x' });
    expect(columnsOf([flattened(row, false)], [])).toEqual(['title', 'seller', 'at', 'empty']);
    expect(columnsOf([flat], ['title'])).toEqual(['title']);
  });
});
