import { createParser } from 'eventsource-parser';
import createClient from 'openapi-fetch';
import type { paths } from './trawl-schema.js';

const { TRAWL_URL, TRAWL_KEY } = process.env;
const trawl = createClient<paths>({ baseUrl: TRAWL_URL, headers: { Authorization: `Bearer ${TRAWL_KEY}` } });

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ titles }, { pin }) => {
  for (const title of titles) {
    console.log(title);
    await mongo.collection('openapi-fetch').insertOne({ title });
  }
  return { digits: pin.length };
};`;

/** Returns the data of a response, or throws its error message. */
async function answerOf<T>(call: Promise<{ data?: T; error?: { error_message: string } }>): Promise<T> {
  const { data, error } = await call;
  if (error) throw new Error(error.error_message);
  return data as T;
}

// Upload a skript with its inputs.
const files = [
  { name: 'manifest.json', content: '{ "title": "By openapi-fetch" }' },
  { name: 'main.js', content: MAIN_JS },
  { name: 'input.json', content: '{ "titles": ["Emma", "Persuasion"] }' },
  { name: 'inputSecret.json', content: '{ "pin": "2791" }' },
];
const { skript } = await answerOf(trawl.POST('/joint-api/skripts/upload-files', { body: { files } }));
const ofSkript = { skript_id: skript.id };

// Start a run with its stored values, and follow its log until it has ended.
const { items: inputs } = await answerOf(trawl.GET('/joint-api/inputs/list', { params: { query: ofSkript } }));
const { items: secrets } = await answerOf(trawl.GET('/joint-api/input-secrets/list', { params: { query: ofSkript } }));
const { id } = await answerOf(
  trawl.POST('/joint-api/execute-skript/single-worker/start', {
    params: { query: { wait_ms: 0 } },
    body: { ...ofSkript, input_id: inputs[0]?.id, inputSecret_id: secrets[0]?.id },
  }),
);
const texts: string[] = [];
const parser = createParser({
  onEvent: ({ event, data }) => {
    if (event === undefined) texts.push(JSON.parse(data).msg);
  },
});
const log = await answerOf(
  trawl.GET('/joint-api/echoes/{execution_id}/stream', { params: { path: { execution_id: id } }, parseAs: 'stream' }),
);
for await (const piece of log?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(piece);
const execution = { path: { skriptExecution_id: id } };
const run = await answerOf(trawl.GET('/joint-api/skript-execution/{skriptExecution_id}', { params: execution }));

// Page through what it stored.
const { items: databases } = await answerOf(trawl.GET('/joint-api/mongo-databases/list'));
const path = { db_id: databases[0]?.id ?? '', collection: 'openapi-fetch' };
const titles: unknown[] = [];
let after: string | undefined;
do {
  const query = { format: 'relaxed', sort: '_id', limit: 1, after } as const;
  const page = await answerOf(trawl.GET('/joint-api/mongo/{db_id}/{collection}/list', { params: { path, query } }));
  titles.push(...page.items.map(({ title }) => title));
  after = page.next;
} while (after !== undefined);
console.log(JSON.stringify({ action: run.action, output: run.output, texts, titles }));

// Clean up.
await answerOf(trawl.DELETE('/joint-api/mongo-collections/{db_id}/{collection}', { params: { path } }));
await answerOf(trawl.DELETE('/joint-api/skript-execution/{skriptExecution_id}', { params: execution }));
await answerOf(trawl.DELETE('/joint-api/skripts/{skript_id}', { params: { path: ofSkript } }));
