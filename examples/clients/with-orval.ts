import { createParser } from 'eventsource-parser';
import * as trawl from './trawl-api.js';

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ titles }, { pin }) => {
  for (const title of titles) {
    console.log(title);
    await mongo.collection('orval').insertOne({ title });
  }
  return { digits: pin.length };
};`;

// Upload a skript with its inputs, and once more as the archive that you can download.
const files = [
  { name: 'manifest.json', content: '{ "title": "By orval" }' },
  { name: 'main.js', content: MAIN_JS },
  { name: 'input.json', content: '{ "titles": ["Emma", "Persuasion"] }' },
  { name: 'inputSecret.json', content: '{ "pin": "2791" }' },
];
const { id: skript_id } = (await trawl.uploadSkriptFiles({ files })).skript;
await trawl.uploadSkript({ archive: await trawl.downloadSkript(skript_id) });

// Start a run with its stored values, and follow its log until it has ended.
const [input] = (await trawl.listInputs({ skript_id })).items;
const [secret] = (await trawl.listInputSecrets({ skript_id })).items;
const values = { input_id: input?.id, inputSecret_id: secret?.id };
const { id } = await trawl.startSkript({ skript_id, ...values }, { wait_ms: 0 });
const texts: string[] = [];
const parser = createParser({
  onEvent: ({ event, data }) => {
    if (event === undefined) texts.push(JSON.parse(data).msg);
  },
});
const events: unknown = await trawl.streamEchoes(id);
for await (const piece of (events as ReadableStream).pipeThrough(new TextDecoderStream())) parser.feed(piece);
const run = await trawl.getExecution(id);

// Page through what it stored.
const [database] = (await trawl.listMongoDatabases()).items;
const collection = [database?.id ?? '', 'orval'] as const;
const titles: unknown[] = [];
let after: string | undefined;
do {
  const query = { format: 'relaxed', sort: '_id', limit: 1, after } as const;
  const page = await trawl.listMongoDocuments(...collection, query);
  titles.push(...page.items.map(({ title }) => title));
  after = page.next;
} while (after !== undefined);
console.log(JSON.stringify({ action: run.action, output: run.output, texts, titles }));

// Clean up.
await trawl.deleteMongoCollection(...collection);
await trawl.deleteExecution(id);
await trawl.deleteSkript(skript_id);
