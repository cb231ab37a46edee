import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS, splitBundle } from '@trawl/contracts';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import { appForFile } from '../../../test/test-app.js';

const { app, developer: api, admin: others } = appForFile();

let n = 0;
async function skriptWith(files: Record<string, string>): Promise<string> {
  const { body } = await api('POST', '/joint-api/skripts/addnew', { title: `Skript ${++n}` });
  for (const [name, content] of Object.entries(files)) {
    const added = await api('POST', '/joint-api/skript-files/addnew', { skript_id: body.id, name, content });
    expect(added.status).toBe(201);
  }
  return body.id;
}
const bundle = (id: string) => api('POST', `/joint-api/skripts/${id}/bundle`);
const get = async (id: string) => (await api('GET', `/joint-api/skripts/${id}`)).body;

/** Runs a bundle as the worker does and returns its exports. */
async function run(hash: string): Promise<{ code: string; exports: Record<string, unknown> }> {
  const [row] = await app.sql<{ code: string }>('SELECT code FROM bundles WHERE hash = $1', [hash]);
  const module = { exports: {} };
  new Function('module', 'exports', 'require', row?.code ?? '')(module, module.exports, require);
  return { code: row?.code ?? '', exports: module.exports };
}

describe('skripts', () => {
  test('a skript is added, listed, updated and deleted with its parts', async () => {
    const id = await skriptWith({ 'main.js': 'module.exports = async () => 1', 'howto.md': '# How' });
    await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'input.json', val: null });
    const skript = await get(id);
    expect(skript).toMatchObject({
      howto: '# How',
      stale: true,
      bundle_hash: null,
      environment: 'nodejs',
      worker_response_timeout: 180_000,
      time_limit_ms: 3_600_000,
    });
    expect(skript.files.map((file: { name: string }) => file.name)).toEqual(['howto.md', 'main.js']);

    const changed = await api('PUT', `/joint-api/skripts/${id}`, { ...skript, title: '100%_sure' });
    expect(changed).toMatchObject({ status: 200, body: { title: '100%_sure' } });
    const listed = await api('GET', '/joint-api/skripts/list?title_contains=0%25_S&select=title,files&sort=title');
    expect(listed.body).toMatchObject({ total: 1, limit: 50, skip: 0, items: [{ id, title: '100%_sure' }] });
    expect(Object.keys(listed.body.items[0]).sort()).toEqual(['files', 'id', 'title']);
    expect((await api('GET', '/joint-api/skripts/list?title_contains=0x_s')).body.total).toBe(0);

    expect(await api('DELETE', `/joint-api/skripts/${id}`)).toMatchObject({
      status: 200,
      body: { deleted: { skripts: 1, skript_files: 2, inputs: 1, input_secrets: 0 } },
    });
    expect((await api('GET', `/joint-api/skripts/${id}`)).status).toBe(404);
  });

  test('a list has the same fields and values as a call for each of its skripts', async () => {
    const text = 'He said "\\ no"\n\t\u0001\u2028 </script> é 😀';
    const ids = [
      await skriptWith({ 'main.js': '', 'lib/b.js': '', 'howto.html': text, 'howto.md': 'not shown' }),
      await skriptWith({}),
    ];
    const schema = { type: 'object', properties: { a: { enum: [1e21, 0.1, null, text] } } };
    await api('PUT', `/joint-api/skripts/${ids[0]}`, { description: text, category: text, input_schema: schema });
    const skripts = await Promise.all(ids.map(id => get(id)));
    const fields = Object.keys(skripts[0]).join(',');
    const { body } = await api('GET', `/joint-api/skripts/list?select=${fields}`);
    const listed = body.items.filter((item: { id: string }) => ids.includes(item.id));
    expect(listed).toEqual([...skripts].reverse());
    expect(listed[1]).toMatchObject({ description: text, howto: text, input_schema: schema });
  });

  test('a list whose thumbnails are too large together is refused, unless it leaves them out', async () => {
    const ids = [await skriptWith({}), await skriptWith({})];
    const fill = (bytes: number) =>
      app.sql(`UPDATE skripts SET thumbnail = repeat('x', $2) WHERE id = ANY ($1)`, [ids, bytes]);
    await fill(6_000_001);
    expect(await api('GET', '/joint-api/skripts/list')).toMatchObject({
      status: 413,
      body: { error_code: 'payload_too_large', error_message: expect.stringContaining('12 MB') },
    });
    expect((await api('GET', '/joint-api/skripts/list?select=-thumbnail')).status).toBe(200);
    await fill(0);
    expect((await api('GET', '/joint-api/skripts/list')).status).toBe(200);
  });

  test('the title of a skript is unique among those of its owner', async () => {
    await api('POST', '/joint-api/skripts/addnew', { title: 'Twice' });
    expect(await api('POST', '/joint-api/skripts/addnew', { title: 'Twice' })).toMatchObject({
      status: 409,
      body: { error_code: 'title_taken' },
    });
    expect((await others('POST', '/joint-api/skripts/addnew', { title: 'Twice' })).status).toBe(201);
    expect((await api('POST', '/joint-api/skripts/addnew', { title: ' Twice\t' })).status).toBe(409);
    const { body } = await api('POST', '/joint-api/skripts/addnew', { title: ' twice ' });
    expect(body.title).toBe('twice');
    expect((await api('PUT', `/joint-api/skripts/${body.id}`, { title: 'Twice ' })).status).toBe(409);
  });

  test.each([
    [{ title: ' ' }, 'title'],
    [{ title: 'clear \u001b[2J' }, 'title'],
    [{ title: 'two\nlines' }, 'title'],
    [{ title: 'x', thumbnail: 'javascript:alert(1)' }, 'thumbnail'],
    [{ title: 'x', environment: 'cobol' }, 'environment'],
    [{ title: 'x', worker_response_timeout: 1 }, 'worker_response_timeout'],
    [{ title: 'x', time_limit_ms: 999 }, 'time_limit_ms'],
    [{ title: 'x', time_limit_ms: 86_400_001 }, 'time_limit_ms'],
    [{ title: 'x', owner_id: 'me' }, 'owner_id'],
  ])('an invalid skript is refused with the name of the field: %j', async (body, field) => {
    const answer = await api('POST', '/joint-api/skripts/addnew', body);
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
    expect(JSON.stringify(answer.body.details)).toContain(field);
  });

  test('a user gets 404 for another user’s skripts, files and inputs', async () => {
    const id = await skriptWith({ 'main.js': '' });
    const [file] = (await get(id)).files;
    const input = (await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'input.json', val: 1 })).body;
    for (const [method, path, body] of [
      ['GET', `skripts/${id}`],
      ['PUT', `skripts/${id}`, { title: 'mine' }],
      ['DELETE', `skripts/${id}`],
      ['POST', `skripts/${id}/bundle`],
      ['POST', 'skript-files/addnew', { skript_id: id, name: 'x.js', content: '' }],
      ['GET', `skript-files/${file.id}`],
      ['PUT', `skript-files/${file.id}`, { content: 'evil' }],
      ['DELETE', `skript-files/${file.id}`],
      ['GET', `inputs/${input.id}`],
      ['PUT', `inputs/${input.id}`, { val: 2 }],
      ['DELETE', `inputs/${input.id}`],
    ] as const) {
      expect([method, path, (await others(method, `/joint-api/${path}`, body)).status]).toEqual([method, path, 404]);
    }
    expect((await others('GET', `/joint-api/skript-files/list?skript_id=${id}`)).body.total).toBe(0);
    expect((await api('GET', '/joint-api/inputs/no-uuid')).body.error_code).toBe('validation_failed');
  });

  test('a skript with a live run cannot be deleted', async () => {
    const id = await skriptWith({});
    const [{ owner_id } = { owner_id: '' }] = await app.sql<{ owner_id: string }>(
      'SELECT owner_id FROM skripts WHERE id = $1',
      [id],
    );
    const [{ execution = '' } = {}] = await app.sql<{ execution: string }>(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
       SELECT overlay(gen_random_uuid()::text placing left($1::text, 13) from 1 for 13)::uuid, $2, $1::text::uuid, 's', 'general', 'h', 'start'
       RETURNING id AS execution`,
      [id, owner_id],
    );
    await app.sql(
      `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, payload,
       waiting_reason, waiting_since)
       VALUES ($1, $2, false, 'nodejs', '', true, 1000, '', 'worker_full', now())`,
      [execution, owner_id],
    );
    const refused = await api('DELETE', `/joint-api/skripts/${id}`);
    await app.sql('DELETE FROM live_runs WHERE execution_id = $1', [execution]);
    expect(refused).toMatchObject({
      status: 409,
      body: { error_code: 'has_live_run', details: { execution_id: execution } },
    });
    expect((await api('DELETE', `/joint-api/skripts/${id}`)).status).toBe(200);
  });
});

describe('skript files', () => {
  test('saving a file without a change does not make the skript stale; changing or deleting it does', async () => {
    const id = await skriptWith({ 'main.js': 'module.exports = async () => 1' });
    const [file] = (await get(id)).files;
    await bundle(id);
    expect(await get(id)).toMatchObject({ stale: false });
    await api('PUT', `/joint-api/skript-files/${file.id}`, { content: 'module.exports = async () => 1' });
    expect(await get(id)).toMatchObject({ stale: false });
    await api('PUT', `/joint-api/skript-files/${file.id}`, { content: 'module.exports = async () => 2' });
    expect(await get(id)).toMatchObject({ stale: true });
    await bundle(id);
    await api('DELETE', `/joint-api/skript-files/${file.id}`);
    expect(await get(id)).toMatchObject({ stale: true, files: [] });
  });

  test('changes of title or input make a skript stale if a file names manifest.json or that input', async () => {
    const id = await skriptWith({ 'main.js': "module.exports = ['manifest.json', 'input-a.json']" });
    const { body: input } = await api('POST', '/joint-api/inputs/addnew', {
      skript_id: id,
      name: 'input-a.json',
      val: 1,
    });
    const other = { skript_id: id, name: 'input-b.json', val: 1 };
    const isStaleAfter = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      await bundle(id);
      expect(await get(id)).toMatchObject({ stale: false });
      expect((await api(method, `/joint-api/${path}`, body)).status).toBeLessThan(300);
      return (await get(id)).stale;
    };
    expect([
      await isStaleAfter('PUT', `inputs/${input.id}`, { val: 2 }),
      await isStaleAfter('DELETE', `inputs/${input.id}`),
      await isStaleAfter('POST', 'inputs/addnew', { ...other, name: 'input-a.json' }),
      await isStaleAfter('POST', 'inputs/addnew', other),
      await isStaleAfter('PUT', `skripts/${id}`, { description: 'Other words' }),
      await isStaleAfter('PUT', `skripts/${id}`, { description: 'Other words' }),
    ]).toEqual([true, true, true, false, true, false]);
  });

  test('a file name is refused if it differs from another only in case or uses a file as a folder', async () => {
    const id = await skriptWith({ 'main.js': '', 'lib/x.js': '' });
    for (const name of ['MAIN.js', 'Lib', 'lib/x.js/y.js']) {
      const answer = await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content: '' });
      expect([name, answer.status, answer.body.error_code]).toEqual([name, 409, 'name_taken']);
    }
  });

  test('of two concurrent saves of a file with the same If-Match, the second is refused with 412', async () => {
    const id = await skriptWith({ 'main.js': 'one' });
    const [{ id: fileId }] = (await get(id)).files;
    const path = `/joint-api/skript-files/${fileId}`;
    const read = await api('GET', path);
    const tag = `"${read.body.hash}"`;
    expect(read.headers.get('etag')).toBe(tag);
    const save = (content: string) => api('PUT', path, { content }, { 'if-match': tag });
    const saves = await Promise.all([save('two'), save('three')]);
    const [kept, refused] = saves.sort((a, b) => a.status - b.status);
    expect([kept?.status, refused?.status, refused?.body.error_code]).toEqual([200, 412, 'precondition_failed']);
    expect((await api('GET', path)).body.content).toBe(kept?.body.content);
    expect(kept?.headers.get('etag')).toBe(`"${kept?.body.hash}"`);
    expect((await api('PUT', path, { content: 'four' }, { 'if-match': '*' })).status).toBe(200);
  });

  test('a file that is too large is refused, as are files beyond the total size of a skript', async () => {
    const id = await skriptWith({});
    const add = (name: string, bytes: number) =>
      api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content: 'x'.repeat(bytes) });
    expect((await add('big.js', LIMITS.fileBytes + 1)).status).toBe(413);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(i => add(`${i}.js`, LIMITS.fileBytes)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 413, 413]);
  });

  test.each([
    ['skript-files', { name: 'main.js', content: '1' }, { content: 'const é = 2;' }],
    ['inputs', { name: 'input-a.json', val: { a: [1] } }, { val: 'text' }],
    ['input-secrets', { name: 'inputSecret-b.json', val: 'secret' }, { val: 'other' }],
  ])('the answer to a change of %s is exactly what was saved', async (parts, part, change) => {
    const skript_id = (await skriptWith({})).toUpperCase();
    const added = await api('POST', `/joint-api/${parts}/addnew`, { skript_id, ...part });
    const path = `/joint-api/${parts}/${added.body.id}`;
    expect(added.body).toEqual((await api('GET', path)).body);
    const changed = await api('PUT', path, change);
    expect(changed.body).toEqual((await api('GET', path)).body);
    expect(changed.body.updated_at).not.toBe(added.body.updated_at);
  });

  test('lists of files leave out the content and can be filtered by name', async () => {
    const id = await skriptWith({ 'main.js': 'x', 'a_b.js': '', 'acb.js': '' });
    const { body } = await api('GET', `/joint-api/skript-files/list?skript_id=${id}&name_contains=A_B`);
    expect(body).toMatchObject({ total: 1, items: [{ name: 'a_b.js', size: 0, skript_id: id }] });
    expect(body.items[0]).not.toHaveProperty('content');
  });
});

describe('inputs and input secrets', () => {
  test('an input returns any JSON value unchanged', async () => {
    const id = await skriptWith({});
    for (const [index, val] of [null, 0, '', 'a\u0000\ud800', [1, { a: null }]].entries()) {
      const added = await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: `input${index}.json`, val });
      expect(added).toMatchObject({ status: 201, body: { val } });
      expect(
        (await api('PUT', `/joint-api/inputs/${added.body.id}`, { name: `input-${index}.json` })).body,
      ).toMatchObject({ val });
    }
    const missing = await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'input.json' });
    expect(missing.body.error_code).toBe('validation_failed');
    const big = await api('POST', '/joint-api/inputs/addnew', {
      skript_id: id,
      name: 'input.json',
      val: 'x'.repeat(LIMITS.inputBytes),
    });
    expect(big.status).toBe(413);
  });

  test.each([501, 998])('an input value that is nested %d levels deep is refused', async levels => {
    const val = '['.repeat(levels) + ']'.repeat(levels);
    const body = `{"skript_id":"${await skriptWith({})}","name":"input.json","val":${val}}`;
    expect(await api('POST', '/joint-api/inputs/addnew', body)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'val' }] },
    });
  });

  test.each(['inputs', 'input-secrets'])(
    'of many %s that arrive together, each is stored or refused by itself',
    async kind => {
      const prefix = kind === 'inputs' ? 'input' : 'inputSecret';
      const skripts = [await skriptWith({}), await skriptWith({})];
      const add = (skript_id: string, name: string, val: unknown) =>
        api('POST', `/joint-api/${kind}/addnew`, { skript_id, name: `${prefix}${name}.json`, val });
      const val = ['\\u0000 \u0000', '\ud800', { deep: [1, 'é 😀'] }];
      const names = Array.from({ length: 20 }, (_, n) => `${n}`);
      const answers = await Promise.all([
        ...names.map((name, n) => add(String(skripts[n % 2]), name, [n, val])),
        add(String(skripts[0]), 'Twice', 1),
        add(String(skripts[0]), 'tWICE', 2),
        add(String(skripts[0]), 'Größe', 3),
        add(randomUUID(), 'Lost', 4),
        add(String(skripts[1]), 'Long', 'x'.repeat(20_000)),
      ]);
      const twice = answers.slice(20, 22).map(({ status }) => status);
      expect(twice.sort()).toEqual([201, 409]);
      expect(answers.slice(22).map(({ status }) => status)).toEqual([201, 404, 201]);
      for (const [n, { status, body }] of answers.slice(0, 20).entries()) {
        expect([status, body.name, body.skript_id]).toEqual([201, `${prefix}${n}.json`, skripts[n % 2]]);
        if (kind === 'inputs') {
          expect((await api('GET', `/joint-api/inputs/${body.id}`)).body).toEqual(body);
          expect(body.val).toEqual([n, val]);
        }
      }
    },
  );

  test('an input value keeps keys such as __proto__ and constructor', async () => {
    const val =
      '{"constructor":"Ferrari","toString":"x","valueOf":1,"hasOwnProperty":2,"__proto__":{"a":1},"then":3,"list":[{"constructor":"A"}]}';
    const body = `{"skript_id":"${await skriptWith({})}","name":"input.json","val":${val}}`;
    const added = await api('POST', '/joint-api/inputs/addnew', body);
    expect(added.status).toBe(201);
    expect(JSON.stringify(added.body.val)).toBe(val);
    expect(JSON.stringify((await api('GET', `/joint-api/inputs/${added.body.id}`)).body.val)).toBe(val);
  });

  test.each(['constructor', '__proto__', 'toString', 'other'])('an unknown field %s is refused by name', async name => {
    const refusal = { status: 400, body: { error_code: 'validation_failed', details: [{ field: name }] } };
    const body = `{"title":"Unknown","${name}":1}`;
    expect(await api('POST', '/joint-api/skripts/addnew', body)).toMatchObject(refusal);
    expect(await api('GET', `/joint-api/skripts/list?${name}=1`)).toMatchObject(refusal);
  });

  test('a secret is never returned and is encrypted in the database', async () => {
    const id = await skriptWith({});
    const added = await api('POST', '/joint-api/input-secrets/addnew', {
      skript_id: id,
      name: 'inputSecret.json',
      val: { password: 'hunter22' },
    });
    const got = await api('GET', `/joint-api/input-secrets/${added.body.id}`);
    const changed = await api('PUT', `/joint-api/input-secrets/${added.body.id}`, { name: 'inputSecret2.json' });
    const listed = await api('GET', `/joint-api/input-secrets/list?skript_id=${id}`);
    for (const { body } of [added, got, changed, listed]) {
      expect(JSON.stringify(body)).toContain('"has_val":true');
      expect(JSON.stringify(body)).not.toMatch(/hunter22|"val"/);
    }
    const [row] = await app.sql<{ val_sealed: Buffer }>('SELECT val_sealed FROM input_secrets WHERE id = $1', [
      added.body.id,
    ]);
    expect(row?.val_sealed.toString('latin1')).not.toContain('hunter22');
    const again = await api('POST', '/joint-api/input-secrets/addnew', {
      skript_id: id,
      name: 'inputSecret2.json',
      val: 1,
    });
    const error_message = 'The skript already has inputSecret2.json.';
    expect(again).toMatchObject({ status: 409, body: { error_code: 'name_taken', error_message } });
    expect(
      (await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'inputSecret.json', val: 1 })).status,
    ).toBe(400);
  });
});

describe('bundles', () => {
  test('combine CommonJS, ES modules, JSON and built-in libraries into one file that runs', async () => {
    const id = await skriptWith({
      'main.js': `import { twice } from './lib/twice.js';\nimport data from './data.json';\nimport { readFile } from 'fs/promises';\nimport os from 'node:os';\nexport default async () => [twice(data.n), typeof readFile, typeof os.cpus];`,
      'lib/twice.js': 'exports.twice = n => 2 * n;',
      'data.json': '{ "n": 21 }',
      'package.json':
        '{ "main": "/etc/passwd", "type": "module", "sideEffects": false, "browser": { "fs": "./x.js" } }',
      'tsconfig.json': '{ "extends": "/etc/passwd" }',
    });
    const { status, body } = await bundle(id);
    expect([status, body]).toEqual([
      200,
      { hash: expect.stringMatching(/^[0-9a-f]{64}$/), size: expect.any(Number), warnings: [], lock: null },
    ]);
    const { code, exports } = await run(body.hash);
    expect(await (exports.default as () => Promise<unknown>)()).toEqual([42, 'function', 'function']);
    const map = JSON.parse(Buffer.from(/base64,(\S+)\s*$/.exec(code)?.[1] ?? '', 'base64').toString());
    expect(map.sources.sort()).toEqual(
      ['data.json', 'lib/twice.js', 'main.js'].filter(name => map.sources.includes(name)),
    );
    expect(new SourceMap(map).payload.sources).toContain('main.js');
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    expect(code + JSON.stringify(map)).not.toContain(process.cwd());
    expect(await get(id)).toMatchObject({ stale: false, bundle_hash: body.hash });
  });

  test('contain the skript’s other files, and the manifest and inputs that a file names, but no secrets', async () => {
    const csv = 'name;price\r\n"Ærø";1\u2028\n';
    const id = await skriptWith({
      'main.js': `const { n } = require('./data.json');
        module.exports = async () => [n, require('./manifest.json').title === 'input-b.json'];`,
      'data.json': '{ "n": 21 }',
      'prices.csv': csv,
      'pages/end.html': '<p></p>',
      'package.json': '{}',
      'howto.md': '',
    });
    await app.sql(
      `INSERT INTO skript_files (id, skript_id, name, content, size)
       SELECT gen_random_uuid(), $1, name, 'hunter22', 8 FROM unnest(ARRAY['inputSecret.json', 'dex8auth.json', 'conf/.env']) name`,
      [id],
    );
    for (const name of ['input-a.json', 'input-b.json']) {
      await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name, val: [name] });
    }
    await api('POST', '/joint-api/input-secrets/addnew', { skript_id: id, name: 'inputSecret.json', val: 'hunter22' });
    const { body } = await bundle(id);
    const { code, exports } = await run(body.hash);
    expect(await (exports as unknown as () => Promise<unknown>)()).toEqual([21, false]);
    expect(JSON.parse(splitBundle(code).filesJson)).toEqual([
      { name: 'data.json', content: '{ "n": 21 }' },
      { name: 'howto.md', content: '' },
      { name: 'package.json', content: '{}' },
      { name: 'pages/end.html', content: '<p></p>' },
      { name: 'prices.csv', content: csv },
      { name: 'manifest.json', content: expect.stringContaining('"worker_response_timeout": ') },
      { name: 'input-b.json', content: '["input-b.json"]' },
    ]);
    expect(code).not.toContain('hunter22');
    expect(body.size).toBe(Buffer.byteLength(code));
  });

  test('have a hash that changes with any file of the skript', async () => {
    const files = { 'main.js': 'module.exports = async () => 1' };
    const hashOf = async (more: object) => (await bundle(await skriptWith({ ...files, ...more }))).body.hash;
    const plain = await hashOf({});
    expect(await hashOf({})).toBe(plain);
    expect(await hashOf({ 'notes.md': 'mine' })).not.toBe(plain);
  });

  test('cannot be built without main.js', async () => {
    expect(await bundle(await skriptWith({ 'index.js': '' }))).toMatchObject({
      status: 422,
      body: { error_code: 'main_missing' },
    });
  });

  test('cannot be built with a syntax error, which is reported with file, line and column', async () => {
    const id = await skriptWith({ 'main.js': 'require("./lib/é")', 'lib/é.js': '\n\nlet é = 3 x' });
    const { status, body } = await bundle(id);
    expect(status).toBe(422);
    expect(body.error_message).toBe('lib/é.js:3:11: Expected ";" but found "x"');
    expect(body.details).toEqual([
      { message: 'Expected ";" but found "x"', file: 'lib/é.js', line: 3, column: 11, line_text: 'let é = 3 x' },
    ]);
    expect(await get(id)).toMatchObject({ stale: true, bundle_hash: null });
  });

  const refused: [main: string, message: string][] = [
    [`import '/etc/passwd'`, 'is an absolute path'],
    [`import '../../x'`, 'is outside the skript'],
    [`import './missing'`, 'no file missing'],
    [`import './style.css'`, 'cannot be imported'],
    [`import x from './style.css' with { type: 'text' }`, 'type: \\"text\\"'],
    [`require('left-pad')`, 'The library left-pad is not available'],
    [`import('./' + process.argv[0] + '/x.js')`, 'as a literal string'],
    [`import('${'../../'.repeat(6)}etc/' + process.argv[0] + '.conf')`, 'as a literal string'],
    [
      `import('./'.concat('../../') + process.argv[0]); import('./../../proc/' + process.argv[0])`,
      'as a literal string',
    ],
    [`require('esbuild')`, 'The library esbuild'],
  ];
  test.each(sampleOf(refused, { oneIn: 3 }))(
    'cannot contain files or libraries of the machine: %s',
    async (main, message) => {
      const { status, body } = await bundle(await skriptWith({ 'main.js': main, 'style.css': 'a{}' }));
      expect([status, body.error_code]).toEqual([422, 'bundle_failed']);
      expect(JSON.stringify(body.details)).toContain(message);
      expect(JSON.stringify(body)).not.toMatch(/root:x|node_modules|skript:/);
    },
  );

  test('with a computed require contain all buildable files of the skript and nothing of the machine', async () => {
    const id = await skriptWith({
      'main.js': `exports.load = n => [require('./' + n), require(\`${'../../'.repeat(6)}etc/\${n}.conf\`)];`,
      'lib/a.js': "exports.other = () => require('./b');",
      'lib/b.json': '1',
      'page.js': "import 'left-pad'; import '/etc/passwd';",
    });
    const { status, body } = await bundle(id);
    expect([status, body.warnings]).toEqual([200, []]);
    const [row] = await app.sql<{ code: string }>('SELECT code FROM bundles WHERE hash = $1', [body.hash]);
    const reached = [...(row?.code ?? '').matchAll(/"(\S+)": \(\) => /g)].map(([, name]) => name);
    expect(reached).toEqual(['lib/a.js', 'lib/b.json', 'main.js']);
    expect(row?.code).not.toMatch(/root:x|node_modules/);
  });

  describe('a sourceMappingURL comment has no effect', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trawl-map-'));
      // Everyone may read the folder. So the test fails if the builder reads the files, even as another user.
      await chmod(folder, 0o755);
      await writeFile(join(folder, 'broken'), 'host-secret: not JSON');
      await writeFile(join(folder, 'source.js'), 'host-secret');
      const map = { version: 3, names: [], mappings: 'AAAA', sources: [join(folder, 'source.js')] };
      await writeFile(join(folder, 'map'), JSON.stringify(map));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const comments: [form: string, comment: () => string][] = [
      ['absolute', () => `//# sourceMappingURL=${folder}/broken`],
      ['relative', () => `//# sourceMappingURL=${'../../'.repeat(80)}${folder.slice(1)}/broken`],
      ['file:', () => `//# sourceMappingURL=file://${folder}/broken`],
      ['a valid map', () => `//# sourceMappingURL=file://${folder}/map`],
      ['@', () => `//@ sourceMappingURL=${folder}/broken`],
      ['/* */', () => `/*# sourceMappingURL=${folder}/broken */ (() => {})()`],
      [
        'data:',
        () => {
          const map = { version: 3, names: [], mappings: 'AAAA', sources: [`file://${folder}/source.js`] };
          return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
        },
      ],
    ];
    test.each(sampleOf(comments, { oneIn: 3 }))('in the form %s', async (_form, comment) => {
      const main = `module.exports = async () => '//# sourceMappingURL=kept';\n${comment()}`;
      const { status, body } = await bundle(await skriptWith({ 'main.js': main }));
      expect({ status, warnings: body.warnings, details: body.details }).toEqual({ status: 200, warnings: [] });
      const built = await run(body.hash);
      expect(await (built.exports as unknown as () => Promise<string>)()).toBe('//# sourceMappingURL=kept');
      const map = Buffer.from(built.code.split('base64,').at(-1) ?? '', 'base64').toString();
      expect(JSON.parse(map)).toMatchObject({ sources: ['main.js'], sourcesContent: [main] });
      expect(built.code + map).not.toContain('host-secret');
    });
  });

  test('may require a variable, which only the run resolves', async () => {
    const id = await skriptWith({ 'main.js': 'module.exports = async name => require(name)' });
    expect((await bundle(id)).status).toBe(200);
  });

  const nested = [
    ['unclosed', '['.repeat(900_000)],
    ['closed', '['.repeat(400_000) + ']'.repeat(400_000)],
  ];
  test.each(sampleOf(nested, { oneIn: 2 }))(
    'cannot be built from hostile nesting (%s), and the backend keeps working',
    async (form, brackets) => {
      const id = await skriptWith({ 'main.js': `module.exports = ${brackets}`, 'x.js': '' });
      const { status, body } = await bundle(id);
      // On a slow machine, a build may reach its time limit before esbuild's stack is full.
      const message = expect.stringMatching(/less deeply nested|exceeded its time limit/);
      expect([status, body.error_code, body.details[0].message]).toEqual([422, 'bundle_failed', message]);
      expect((await bundle(await skriptWith({ 'main.js': `// after ${form}` }))).status).toBe(200);
    },
    60_000,
  );

  test('leave their skript stale if a file changes during the build', async () => {
    const id = await skriptWith({ 'main.js': `module.exports = ${JSON.stringify('x'.repeat(900_000))}` });
    const [file] = (await get(id)).files;
    const [built] = await Promise.all([
      bundle(id),
      api('PUT', `/joint-api/skript-files/${file.id}`, { content: 'module.exports = 2' }),
    ]);
    expect(built.status).toBe(200);
    const skript = await get(id);
    const [row] = await app.sql<{ files: { content: string }[] }>('SELECT files FROM bundles WHERE hash = $1', [
      built.body.hash,
    ]);
    // The change and the build can finish in either order. The skript may be current only if its bundle has the current
    // files.
    expect(skript.stale).toBe(row?.files[0]?.content !== 'module.exports = 2');
  });
});
