import { createParser } from 'eventsource-parser';
import { Api, DocumentFormat } from './trawl-api.js';

const { TRAWL_URL, TRAWL_KEY } = process.env;
const trawl = new Api({
  baseUrl: TRAWL_URL,
  baseApiParams: { headers: { Authorization: `Bearer ${TRAWL_KEY}` }, format: 'json' },
});

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ titles }, { pin }) => {
  for (const title of titles) {
    console.log(title);
    await mongo.collection('swagger-typescript-api').insertOne({ title });
  }
  return { digits: pin.length };
};`;

// Upload a skript with its inputs, and once more as the archive that you can download. A failed call throws its response.
const files = [
  { name: 'manifest.json', content: '{ "title": "By swagger-typescript-api" }' },
  { name: 'main.js', content: MAIN_JS },
  { name: 'input.json', content: '{ "titles": ["Emma", "Persuasion"] }' },
  { name: 'inputSecret.json', content: '{ "pin": "2791" }' },
];
const { id: skript_id } = (await trawl.skripts.uploadSkriptFiles({ files })).data.skript;
const archive = (await trawl.skripts.downloadSkript(skript_id, { format: 'blob' })).data;
await trawl.skripts.uploadSkript({ archive: new File([archive], 'skript.zip') });

// Start a run with its stored values, and follow its log until it has ended.
const [input] = (await trawl.inputs.listInputs({ skript_id })).data.items;
const [secret] = (await trawl.inputSecrets.listInputSecrets({ skript_id })).data.items;
const values = { input_id: input?.id, inputSecret_id: secret?.id };
const { id } = (await trawl.executeSkript.startSkript({ skript_id, ...values }, { wait_ms: 0 })).data;
const texts: string[] = [];
const parser = createParser({
  onEvent: ({ event, data }) => {
    if (event === undefined) texts.push(JSON.parse(data).msg);
  },
});
const { body } = await trawl.echoes.streamEchoes(id, { format: undefined });
for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(piece);
const run = (await trawl.skriptExecutions.getExecution(id)).data;

// Page through what it stored.
const [database] = (await trawl.mongoDbDatabases.listMongoDatabases()).data.items;
const collection = [database?.id ?? '', 'swagger-typescript-api'] as const;
const titles: unknown[] = [];
let after: string | undefined;
do {
  const query = { format: DocumentFormat.Relaxed, sort: '_id', limit: 1, after };
  const page = (await trawl.storageMongoDb.listMongoDocuments(...collection, query)).data;
  titles.push(...page.items.map(({ title }) => title));
  after = page.next;
} while (after !== undefined);
console.log(JSON.stringify({ action: run.action, output: run.output, texts, titles }));

// Clean up.
await trawl.mongoDbCollections.deleteMongoCollection(...collection);
await trawl.skriptExecutions.deleteExecution(id);
await trawl.skripts.deleteSkript(skript_id);
