// Records the calls to databases, exports and imports for record-api.mjs.
import { recordPolite, recordQueues } from './record-queues.mjs';
import { eventually } from './trawl-client.mjs';

/** Uses the account of `token`, in whose first database a run has stored the collection `titles`. */
export async function recordStorage({ record, go, call, token }) {
  await recordQueues({ go, call });
  await recordPolite({ go });
  const [database] = (await go('listMongoDatabases', 'GET', '/joint-api/mongo-databases/list?sort=created_at')).items;
  const prices = await go('createMongoDatabase', 'POST', '/joint-api/mongo-databases/addnew', { name: 'prices' });
  await go('updateMongoDatabase', 'PUT', `/joint-api/mongo-databases/${prices.id}`, { name: 'prices 2026' });

  const collections = `/joint-api/mongo-collections/${prices.id}`;
  await go('createMongoCollection', 'POST', `${collections}/addnew`, { name: 'books' });
  const books = `/joint-api/mongo/${prices.id}/books`;
  await go('createMongoDocument', 'POST', `${books}/addnew`, {
    title: 'A Light in the Attic',
    price: 51.77,
    rating: 'Three',
  });
  await go('createMongoDocuments', 'POST', `${books}/addnew-many`, {
    documents: [
      { title: 'Tipping the Velvet', price: 53.74, rating: 'One' },
      { title: 'Soumission', price: 50.1, rating: 'One' },
    ],
  });
  await go('updateMongoDocuments', 'POST', `${books}/update-many`, {
    filter: { rating: 'One' },
    update: { $set: { checked: true } },
  });
  await go('countMongoDocuments', 'GET', `${books}/count?filter=${encodeURIComponent('{"price":{"$lt":52}}')}`);
  await go('listMongoValues', 'GET', `${books}/distinct?field=rating`);
  await go('groupMongoDocuments', 'GET', `${books}/groups?by=rating&of=price`);
  await go('aggregateMongoDocuments', 'POST', `${books}/aggregate`, {
    pipeline: [{ $group: { _id: '$rating', books: { $sum: 1 }, cheapest: { $min: '$price' } } }, { $sort: { _id: 1 } }],
  });
  await go('deleteMongoDocuments', 'POST', `${books}/delete-many`, { filter: { price: { $gt: 53 } } });

  const index = await go('createMongoIndex', 'POST', `${collections}/books/indexes/addnew`, {
    keys: { price: -1, _id: -1 },
  });
  await go('listMongoIndexes', 'GET', `${collections}/books/indexes/list`);
  await go('deleteMongoIndex', 'DELETE', `${collections}/books/indexes/${index.name}`);
  await go('copyMongoCollection', 'POST', `${collections}/books/copy`, { to: 'books-before' });
  await go('renameMongoCollection', 'POST', `${collections}/books-before/rename`, { to: 'books-november' });
  await go('getMongoCollection', 'GET', `${collections}/books`);
  await go('listMongoCollections', 'GET', `${collections}/list`);
  await go('deleteMongoCollection', 'DELETE', `${collections}/books-november`);
  await go('getMongoDatabase', 'GET', `/joint-api/mongo-databases/${prices.id}`);
  await go('deleteMongoDatabase', 'DELETE', `/joint-api/mongo-databases/${prices.id}`);

  const sql = (text, params) =>
    call('POST', '/joint-api/postgres/query', { sql: text, read_only: false, ...(params && { params }) });
  await sql('DROP TABLE IF EXISTS books');
  await sql('CREATE TABLE books (id int PRIMARY KEY, title text NOT NULL, price numeric(8,2))');
  await sql('INSERT INTO books VALUES ($1, $2, $3), ($4, $5, $6)', [1, 'Sails', 12, 2, 'Knots', 9]);
  await go('listPostgresTables', 'GET', '/joint-api/postgres-tables/list');
  await go('getPostgresTable', 'GET', '/joint-api/postgres-tables/books');
  await go('listPostgresRows', 'GET', '/joint-api/postgres-tables/books/rows?sort=-price&limit=1');
  await go('groupPostgresRows', 'GET', '/joint-api/postgres-tables/books/groups?by=title&of=price');
  await go('exportPostgresTable', 'GET', '/joint-api/postgres-tables/books/export?fields=title,price');
  await go('runPostgresQuery', 'POST', '/joint-api/postgres/query', {
    sql: 'SELECT title, price FROM books WHERE price < $1 ORDER BY price',
    params: [10],
  });
  await go('cancelPostgresQuery', 'POST', '/joint-api/postgres/query/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/cancel');
  await sql('DROP TABLE books');

  const collection = `/joint-api/mongo/${database.id}/titles`;
  const [document] = (await go('listMongoDocuments', 'GET', `${collection}/list?limit=2&sort=-title`)).items;
  await go('listMongoDocumentsAsCsv', 'GET', `${collection}/csv?limit=2&sort=-title&select=title`);
  await go('exportMongoDocuments', 'GET', `${collection}/export?format=csv&fields=title`);
  const what = { db_id: database.id, collection: 'titles', fields: 'title' };
  const hideLink = { token, hide: { link: 'https://…' } };
  const exported = await go('createExport', 'POST', '/joint-api/exports/addnew', what);
  const exportPath = `/joint-api/exports/${exported.id}`;
  const { link } = await eventually('the export', async () => {
    const seen = await call('GET', exportPath);
    return seen.state === 'done' && seen;
  });
  await record('getExport', 'GET', exportPath, hideLink);
  await record('listExports', 'GET', '/joint-api/exports/list?limit=1', hideLink);
  await go('downloadExport', 'GET', `${exportPath}/file`);
  const { pathname, search } = new URL(link);
  await record('downloadExportByLink', 'GET', pathname + search);
  await record('cancelExport', 'POST', `${exportPath}/cancel`, hideLink);
  await go('deleteExport', 'DELETE', exportPath);
  const exporter = await go('createExporter', 'POST', '/joint-api/exporters/addnew', {
    ...what,
    name: 'Titles, every morning',
    cron_span: '0 7 * * *',
    time_zone: 'Europe/Zagreb',
    only_new: true,
    destination: { type: 'email' },
  });
  const exporterPath = `/joint-api/exporters/${exporter.id}`;
  await go('getExporter', 'GET', exporterPath);
  await go('listExporters', 'GET', '/joint-api/exporters/list?limit=1');
  await go('updateExporter', 'PUT', exporterPath, { enabled: false });
  await go('runExporter', 'POST', `${exporterPath}/run`);
  await go('deleteExporter', 'DELETE', exporterPath);
  const documentPath = `${collection}/${document._id.$oid ?? document._id}`;
  await go('getMongoDocument', 'GET', documentPath);
  await go('updateMongoDocument', 'PUT', documentPath, { checked: true });
  await go('deleteMongoDocument', 'DELETE', documentPath);

  const csv = 'isbn,title,price\n0415,Emma,12.50\n0416,Persuasion,9.99\n0417,Ulysses,unknown\n';
  const uploadPath = '/joint-api/imports/upload?file_name=books.csv';
  const { id: importId } = await record('uploadImport', 'POST', uploadPath, { csv, token });
  const importPath = `/joint-api/imports/${importId}`;
  await go('previewImport', 'GET', `${importPath}/preview`);
  await go('startImport', 'POST', `${importPath}/start`, {
    db_id: database.id,
    collection: 'books-imported',
    columns: [
      { index: 0, field: 'isbn', type: 'text' },
      { index: 1, field: 'title', type: 'text' },
      { index: 2, field: 'price', type: 'number' },
    ],
    key: ['isbn'],
    skip_bad_rows: true,
  });
  await eventually('the end of the import', async () => (await call('GET', importPath)).state === 'done');
  await go('cancelImport', 'POST', `${importPath}/cancel`);
  await go('getImport', 'GET', importPath);
  await go('listImports', 'GET', '/joint-api/imports/list');
  await go('downloadBadRows', 'GET', `${importPath}/bad-rows`);
  await go('deleteImport', 'DELETE', importPath);
}
