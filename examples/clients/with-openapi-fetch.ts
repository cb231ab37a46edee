import createClient from 'openapi-fetch';
import type { paths } from './trawl-schema.js';

const { TRAWL_URL, TRAWL_KEY } = process.env;
const trawl = createClient<paths>({ baseUrl: TRAWL_URL, headers: { Authorization: `Bearer ${TRAWL_KEY}` } });

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ title }, { pin }) => {
  await mongo.collection('openapi-fetch').insertOne({ title });
  return { title, digits: pin.length };
};`;

/** The answer of a call, or an error that says why there is none. */
async function answerOf<T>(call: Promise<{ data?: T; error?: { error_message: string } }>): Promise<T> {
  const { data, error } = await call;
  if (error) throw new Error(error.error_message);
  return data as T;
}

// A skript, its program, and what it is called with.
const { id: skript_id } = await answerOf(
  trawl.POST('/joint-api/skripts/addnew', { body: { title: 'By openapi-fetch' } }),
);
await answerOf(
  trawl.POST('/joint-api/skript-files/addnew', { body: { skript_id, name: 'main.js', content: MAIN_JS } }),
);
const input = await answerOf(
  trawl.POST('/joint-api/inputs/addnew', { body: { skript_id, name: 'input.json', val: { title: 'Emma' } } }),
);
const secret = await answerOf(
  trawl.POST('/joint-api/input-secrets/addnew', {
    body: { skript_id, name: 'inputSecret.json', val: { pin: '2791' } },
  }),
);

// A run of it, and a look every half second until it is over.
let run = await answerOf(
  trawl.GET('/joint-api/execute-skript/single-worker/start', {
    params: { query: { worker_id: 'any', skript_id, input_id: input.id, inputSecret_id: secret.id, wait_ms: 0 } },
  }),
);
while (run.action === 'start' || run.action === 'pause') {
  await new Promise(resolve => setTimeout(resolve, 500));
  const path = { skriptExecution_id: run.id };
  run = await answerOf(trawl.GET('/joint-api/skript-execution/{skriptExecution_id}', { params: { path } }));
}

// What it stored.
const { items: databases } = await answerOf(trawl.GET('/joint-api/mongo-databases/list'));
const collection = { db_id: databases[0]?.id ?? '', collection: 'openapi-fetch' };
const { items: documents } = await answerOf(
  trawl.GET('/joint-api/mongo/{db_id}/{collection}/list', { params: { path: collection, query: { limit: 10 } } }),
);
console.log(JSON.stringify({ action: run.action, output: run.output, titles: documents.map(({ title }) => title) }));

// And nothing of it is left.
for (const { _id } of documents) {
  const path = { ...collection, doc_id: (_id as { $oid: string }).$oid };
  await answerOf(trawl.DELETE('/joint-api/mongo/{db_id}/{collection}/{doc_id}', { params: { path } }));
}
await answerOf(
  trawl.DELETE('/joint-api/skript-execution/{skriptExecution_id}', {
    params: { path: { skriptExecution_id: run.id } },
  }),
);
await answerOf(trawl.DELETE('/joint-api/skripts/{skript_id}', { params: { path: { skript_id } } }));
