import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PackedPackage } from '../../../scripts/jest/packed-package.js';

let project: PackedPackage;

beforeAll(async () => {
  // As each build does. `npm install` removes the link.
  const link = "import { linkBundled } from './scripts/common/link-bundled.mjs'; linkBundled();";
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', link]);
  project = await PackedPackage.install('packages/storage');
});

afterAll(() => project.remove());

test('packed @trawl/storage depends only on packages of the registry, and on those in its archive', async () => {
  const { dependencies, bundleDependencies } = JSON.parse(
    await readFile(`${project.folder}/node_modules/@trawl/storage/package.json`, 'utf8'),
  );
  const ours = Object.keys(dependencies).filter(name => name.startsWith('@trawl/'));
  expect(ours).toEqual(bundleDependencies);
});

test('packed @trawl/storage runs the README example as CommonJS and as ES module, and stores in local files', async () => {
  const printed = 'Knots\n{ books: 2 }\n';
  expect(await project.runReadmeExample('packages/storage', 'main().then(console.log);')).toEqual([printed, printed]);
  const page = await readFile('website/docs/libs/storage.mdx', 'utf8');
  const [, command = ''] = /```bash\n(.*?)```/s.exec(page) ?? [];
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: project.folder });
  expect(stdout).toBe(printed);
  const stored = await readFile(`${project.folder}/.trawl/storage/books.jsonl`, 'utf8');
  expect(stored.match(/"title":"(Sails|Knots)"/g)).toEqual(['"title":"Sails"', '"title":"Knots"']);
});

test('packed @trawl/storage runs the examples of the storage page that need no server', async () => {
  const page = await readFile('website/docs/libs/storage.mdx', 'utf8');
  const examples = [...page.matchAll(/```js title="main.js"\n(.*?)```/gs)].map(([, text = '']) => text);
  await rm(`${project.folder}/.trawl`, { recursive: true, force: true });
  await project.write('run.cjs', "require('./main.js')().then(console.log);");
  const printed = [];
  for (const example of examples.filter(text => !text.includes('postgres'))) {
    await project.write('main.js', example);
    printed.push(await project.run('run.cjs'));
  }
  expect(printed).toEqual(['undefined\n', 'undefined\n', '1\n', "[ { title: 'Knots' } ]\n"]);
  const rows = await readFile(`${project.folder}/.trawl/storage/dataset_local.jsonl`, 'utf8');
  expect(rows.match(/"title":"(Sails|Knots)"/g)).toEqual(['"title":"Sails"', '"title":"Knots"']);
});

test('packed @trawl/storage exports the same classes to CommonJS and ES modules', async () => {
  await project.write(
    'same.mjs',
    `import { createRequire } from 'node:module';
    import * as module from '@trawl/storage';
    const required = createRequire(import.meta.url)('@trawl/storage');
    console.log(Object.keys(required).filter(name => module[name] === required[name]).sort().join());`,
  );
  expect(await project.run('same.mjs')).toBe(
    'Collection,Cursor,FindCursor,ObjectId,StorageError,dataset,kv,mongo,postgres,proxy,queue,session\n',
  );
});

// A test of packages/cli checks the types that editors get.
if (isFullTest)
  test('packed @trawl/storage has strict types in CommonJS and ES modules', async () => {
    const use = `
    const books = mongo.db('other').collection('books');
    const count: Promise<number> = books.countDocuments({ price: { $gt: 5 } });
    const found: Promise<Document | null> = books.findOne({ _id: new ObjectId() }, { sort: { price: -1 } });
    const cursor: FindCursor = books.find().sort('price', -1).limit(5);
    const index: Promise<number> = books.createIndex({ price: 1 });
    books.find().sort({ price: 'down' });
    books.updateOne({ a: 1 });
    books.insertMany({ a: 1 });
    new StorageError('storage_full', 'full').code.length;
    const pushed: Promise<void> = dataset.push([{ title: 'Sails' }]);
    const value: Promise<unknown> = kv.get('page').then(() => kv.set('page', { n: 1 }));
    dataset.push('Sails');
    kv.set('page');
    export { count, found, cursor, index, pushed, value };`;
    for (const file of ['types.mts', 'types.cts']) {
      await project.write(
        file,
        `import { dataset, type Document, type FindCursor, kv, mongo, ObjectId, StorageError } from '@trawl/storage';${use}`,
      );
    }
    const errors = await project.typeErrors(['types.mts', 'types.cts']);
    expect(errors.match(/^types.*?: error/gm)?.map(place => place.replace(/,\d+/, ''))).toEqual([
      'types.cts(6): error',
      'types.cts(7): error',
      'types.cts(8): error',
      'types.cts(9): error',
      'types.cts(13): error',
      'types.cts(14): error',
      'types.mts(6): error',
      'types.mts(7): error',
      'types.mts(8): error',
      'types.mts(9): error',
      'types.mts(13): error',
      'types.mts(14): error',
    ]);
  });
