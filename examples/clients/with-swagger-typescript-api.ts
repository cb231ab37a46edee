import { Api } from './trawl-api.js';

const { TRAWL_URL, TRAWL_KEY } = process.env;
const trawl = new Api({
  baseUrl: TRAWL_URL,
  baseApiParams: { headers: { Authorization: `Bearer ${TRAWL_KEY}` }, format: 'json' },
});

const MAIN_JS = `
const { mongo } = require('@trawl/storage');
module.exports = async ({ title }, { pin }) => {
  await mongo.collection('swagger-typescript-api').insertOne({ title });
  return { title, digits: pin.length };
};`;

// A skript, its program, and what it is called with. A call that is refused throws its answer.
const { id: skript_id } = (await trawl.skripts.createSkript({ title: 'By swagger-typescript-api' })).data;
await trawl.skriptFiles.createSkriptFile({ skript_id, name: 'main.js', content: MAIN_JS });
const input = (await trawl.inputs.createInput({ skript_id, name: 'input.json', val: { title: 'Emma' } })).data;
const secret = (
  await trawl.inputSecrets.createInputSecret({ skript_id, name: 'inputSecret.json', val: { pin: '2791' } })
).data;

// A run of it, and a look every half second until it is over.
let run = (
  await trawl.executeSkript.startStoredSkript({
    worker_id: 'any',
    skript_id,
    input_id: input.id,
    inputSecret_id: secret.id,
    wait_ms: 0,
  })
).data;
while (run.action === 'start' || run.action === 'pause') {
  await new Promise(resolve => setTimeout(resolve, 500));
  run = (await trawl.skriptExecutions.getExecution(run.id)).data;
}

// What it stored.
const [database] = (await trawl.mongoDbDatabases.listMongoDatabases()).data.items;
const collection = [database?.id ?? '', 'swagger-typescript-api'] as const;
const documents = (await trawl.storageMongoDb.listMongoDocuments(...collection, { limit: 10 })).data.items;
console.log(JSON.stringify({ action: run.action, output: run.output, titles: documents.map(({ title }) => title) }));

// And nothing of it is left.
for (const { _id } of documents) await trawl.storageMongoDb.deleteMongoDocument(...collection, _id.$oid);
await trawl.skriptExecutions.deleteExecution(run.id);
await trawl.skripts.deleteSkript(skript_id);
