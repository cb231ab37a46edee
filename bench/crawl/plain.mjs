// The same crawl in plain Node: node plain.mjs START MONGODB_URI
import axios from 'axios';
import * as cheerio from 'cheerio';
import { MongoClient } from 'mongodb';
import { crawl } from './crawl.cjs';

const [, , start, uri] = process.argv;
const client = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } });
const pages = client.db('bench').collection('pages');
await pages.deleteMany({});
const count = await crawl({
  start,
  get: async url => (await axios.get(url)).data,
  load: cheerio.load,
  store: records => pages.insertMany(records),
});
await client.close();
console.log(count);
