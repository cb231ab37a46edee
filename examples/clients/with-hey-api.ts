import { client } from './trawl-client/client.gen.js';
import * as trawl from './trawl-client/index.js';

const { TRAWL_URL, TRAWL_KEY } = process.env;
client.setConfig({ baseUrl: TRAWL_URL, auth: TRAWL_KEY, throwOnError: true });

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ titles }, { pin }) => {
  for (const title of titles) {
    console.log(title);
    await mongo.collection('hey-api').insertOne({ title });
  }
  return { digits: pin.length };
};`;

// Upload a skript with its inputs, and once more as the archive that you can download.
const files = [
  { name: 'manifest.json', content: '{ "title": "By hey-api" }' },
  { name: 'main.js', content: MAIN_JS },
  { name: 'input.json', content: '{ "titles": ["Emma", "Persuasion"] }' },
  { name: 'inputSecret.json', content: '{ "pin": "2791" }' },
];
const { data: uploaded } = await trawl.uploadSkriptFiles({ body: { files }, throwOnError: true });
const path = { skript_id: uploaded.skript.id };
const { data: archive } = await trawl.downloadSkript({ path, throwOnError: true });
await trawl.uploadSkript({ body: { archive }, throwOnError: true });

// Start a run with its stored values, and follow its log until it has ended.
const ofSkript = { query: path, throwOnError: true } as const;
const { data: inputs } = await trawl.listInputs(ofSkript);
const { data: secrets } = await trawl.listInputSecrets(ofSkript);
const { data: started } = await trawl.startSkript({
  body: { ...path, input_id: inputs.items[0]?.id, inputSecret_id: secrets.items[0]?.id },
  query: { wait_ms: 0 },
  throwOnError: true,
});
const texts: string[] = [];
const { stream } = await trawl.streamEchoes({ path: { execution_id: started.id } });
for await (const echo of stream as AsyncIterable<{ msg?: string }>) {
  if (echo.msg === undefined) break; // the event `end`
  texts.push(echo.msg);
}
const { data: run } = await trawl.getExecution({ path: { skriptExecution_id: started.id }, throwOnError: true });

// Page through what it stored.
const { data: databases } = await trawl.listMongoDatabases({ throwOnError: true });
const collection = { db_id: databases.items[0]?.id ?? '', collection: 'hey-api' };
const documents: trawl.ListMongoDocumentsResponse['items'] = [];
let after: string | undefined;
do {
  const { data: page } = await trawl.listMongoDocuments({
    path: collection,
    query: { format: 'relaxed', sort: '_id', limit: 1, after },
    throwOnError: true,
  });
  documents.push(...page.items);
  after = page.next;
} while (after !== undefined);
const titles = documents.map(({ title }) => title);
console.log(JSON.stringify({ action: run.action, output: run.output, texts, titles }));

// Clean up.
await trawl.deleteMongoCollection({ path: collection, throwOnError: true });
await trawl.deleteExecution({ path: { skriptExecution_id: run.id }, throwOnError: true });
await trawl.deleteSkript({ path, throwOnError: true });
