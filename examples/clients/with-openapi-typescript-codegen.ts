import { createParser } from 'eventsource-parser';
import * as trawl from './trawl-client';

const { TRAWL_URL = '', TRAWL_KEY } = process.env;
trawl.OpenAPI.BASE = TRAWL_URL;
trawl.OpenAPI.TOKEN = TRAWL_KEY;

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ titles }, { pin }) => {
  for (const title of titles) {
    console.log(title);
    await mongo.collection('openapi-typescript-codegen').insertOne({ title });
  }
  return { digits: pin.length };
};`;

// Upload a skript with its inputs. A failed call throws an error with the body of the response.
const files = [
  { name: 'manifest.json', content: '{ "title": "By openapi-typescript-codegen" }' },
  { name: 'main.js', content: MAIN_JS },
  { name: 'input.json', content: '{ "titles": ["Emma", "Persuasion"] }' },
  { name: 'inputSecret.json', content: '{ "pin": "2791" }' },
];
const { skript } = await trawl.SkriptsService.uploadSkriptFiles({ requestBody: { files } });
const skriptId = skript.id;

// Start a run with its stored values, and follow its log until it has ended. The generated client reads a response only
// when it is complete, so this call is sent by `fetch`.
const [input] = (await trawl.InputsService.listInputs({ skriptId })).items;
const [secret] = (await trawl.InputSecretsService.listInputSecrets({ skriptId })).items;
const values = { input_id: input?.id, inputSecret_id: secret?.id };
const { id } = await trawl.ExecuteSkriptService.startSkript({
  requestBody: { skript_id: skriptId, ...values },
  waitMs: 0,
});
const texts: string[] = [];
const parser = createParser({
  onEvent: ({ event, data }) => {
    if (event === undefined) texts.push(JSON.parse(data).msg);
  },
});
const headers = { Authorization: `Bearer ${TRAWL_KEY}` };
const { body } = await fetch(`${TRAWL_URL}/joint-api/echoes/${id}/stream`, { headers });
for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(piece);
const run = await trawl.SkriptExecutionsService.getExecution({ skriptExecutionId: id });

// Page through what it stored.
const [database] = (await trawl.MongoDbDatabasesService.listMongoDatabases({})).items;
const collection = { dbId: database?.id ?? '', collection: 'openapi-typescript-codegen' };
const titles: unknown[] = [];
let after: string | undefined;
do {
  const query = { format: trawl.DocumentFormat.RELAXED, sort: '_id', limit: 1, after };
  const page = await trawl.StorageMongoDbService.listMongoDocuments({ ...collection, ...query });
  titles.push(...page.items.map(({ title }) => title));
  after = page.next;
} while (after !== undefined);
console.log(JSON.stringify({ action: run.action, output: run.output, texts, titles }));

// Clean up.
await trawl.MongoDbCollectionsService.deleteMongoCollection(collection);
await trawl.SkriptExecutionsService.deleteExecution({ skriptExecutionId: id });
await trawl.SkriptsService.deleteSkript({ skriptId });
