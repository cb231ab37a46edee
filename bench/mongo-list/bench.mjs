// @ts-check
// Throughput of GET /joint-api/mongo/{db_id}/{collection}/list with 100 of 10,000 documents.
import mongoose from 'mongoose';
import pg from 'pg';
import { compareLoad, report } from '../load.mjs';
import { addToParse } from '../parse-objects.mjs';
import { startServers } from '../servers.mjs';

const DOCUMENTS = 10_000;
const PAGE = 100;

/** @param {number} n */
const book = n => ({
  title: `Book ${n}`,
  price: n / 100,
  in_stock: n % 3 > 0,
  tags: ['scraped', 'books'],
  seller: { name: `Shop ${n % 50}`, country: 'HR' },
  url: `https://shop.example/books/${n}`,
});

const { trawl, bare, parse, postgresUrl, mongodbUri, stop } = await startServers('mongodb');
try {
  const { items } = await trawl.call('GET', '/joint-api/mongo-databases/list');
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query('SELECT db_name FROM mongo_databases WHERE id = $1', [items[0].id]);
  await client.end();
  const mongo = await mongoose.createConnection(mongodbUri).asPromise();
  const books = Array.from({ length: DOCUMENTS }, (_, n) => ({ ...book(n), scraped_at: new Date() }));
  await mongo.useDb(rows[0].db_name).collection('books').insertMany(books);
  await mongo.close();
  await addToParse(parse, 'Book', DOCUMENTS, n => ({
    ...book(n),
    scraped_at: { __type: 'Date', iso: new Date().toISOString() },
  }));
  const rates = await compareLoad({
    trawl: { url: `${trawl.url}/joint-api/mongo/${items[0].id}/books/list?limit=${PAGE}`, headers: trawl.headers },
    bare: { url: `${bare.url}/mongo/${rows[0].db_name}/books/list?limit=${PAGE}`, headers: {} },
    parse: { url: `${parse.url}/classes/Book?limit=${PAGE}&order=-objectId&count=1`, headers: parse.headers },
  });
  report('mongo-list', rates);
} finally {
  await stop();
}
