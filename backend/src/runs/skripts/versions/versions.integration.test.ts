import { randomUUID } from 'node:crypto';
import { applyPatch } from 'diff';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../../test/test-app.js';
import { pruneVersions } from './version-limits.js';

const { app, developer: api, admin: others } = appForFile();

let n = 0;
type Files = Record<string, string>;

async function skriptWith(files: Files): Promise<string> {
  const { id } = (await api('POST', '/joint-api/skripts/addnew', { title: `Versions ${++n}` })).body;
  await write(id, files);
  return id;
}
const get = async (id: string) => (await api('GET', `/joint-api/skripts/${id}`)).body;
const build = async (id: string): Promise<string> => (await api('POST', `/joint-api/skripts/${id}/bundle`)).body.hash;
const versions = (id: string, path: string, as = api) => as('GET', `/joint-api/skripts/${id}/versions/${path}`);
const restore = (id: string, hash: string) => api('POST', `/joint-api/skripts/${id}/versions/${hash}/restore`);
const compare = (id: string, from: string, to: string) => versions(id, `compare?from=${from}&to=${to}`);

/** Replaces the skript's files with exactly these. */
async function write(id: string, files: Files): Promise<void> {
  const present: { id: string; name: string }[] = (await get(id)).files;
  for (const file of present) {
    if (!(file.name in files)) await api('DELETE', `/joint-api/skript-files/${file.id}`);
  }
  for (const [name, content] of Object.entries(files)) {
    const known = present.find(file => file.name === name);
    if (known) await api('PUT', `/joint-api/skript-files/${known.id}`, { content });
    else await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content });
  }
}

async function read(id: string): Promise<Files> {
  const files: Files = {};
  for (const file of (await get(id)).files) {
    files[file.name] = (await api('GET', `/joint-api/skript-files/${file.id}`)).body.content;
  }
  return files;
}

const one = { 'main.js': 'module.exports = () => 1;\n', 'lib/a.js': 'a\n'.repeat(3) };
const two = { 'main.js': 'module.exports = () => 2;\n', 'notes.md': 'new' };

test('each bundle becomes a version with builder and time; a rebuild of the same files makes it the newest', async () => {
  const id = await skriptWith(one);
  expect((await versions(id, 'list')).body).toMatchObject({ total: 0, items: [] });
  const first = await build(id);
  await write(id, two);
  const second = await build(id);
  const hashes = async () => (await versions(id, 'list')).body.items.map(({ hash }: { hash: string }) => hash);
  expect(await hashes()).toEqual([second, first]);

  await write(id, one);
  expect(await build(id)).toBe(first);
  const { body } = await versions(id, 'list');
  const { id: userId } = (await api('GET', '/joint-api/account')).body;
  expect(body.items).toEqual([
    expect.objectContaining({
      hash: first,
      number: 1,
      builds: 2,
      current: true,
      built_by: { id: userId, username: 'developer' },
    }),
    expect.objectContaining({ hash: second, number: 2, builds: 1, current: false, size: expect.any(Number) }),
  ]);
  expect(body.items[0].built_at > body.items[1].built_at).toBe(true);
  expect(body.items[0].created_at < body.items[1].created_at).toBe(true);

  const page = (await versions(id, 'list?limit=1')).body;
  expect(page.items.map((item: { hash: string }) => item.hash)).toEqual([first]);
  const next = (await versions(id, `list?limit=1&after=${page.next}`)).body;
  expect(next.items.map((item: { hash: string }) => item.hash)).toEqual([second]);
  expect((await versions(id, 'list?sort=created_at')).body.items[0].hash).toBe(first);
  expect((await versions(id, 'list?sort=size')).body.error_code).toBe('validation_failed');
});

test('the number of a deleted version is not used again, and a version without a number gets the next one', async () => {
  const id = await skriptWith(one);
  const numbers = async () => (await versions(id, 'list')).body.items.map(({ number }: { number: number }) => number);
  await build(id);
  await write(id, two);
  const second = await build(id);
  await app.sql('DELETE FROM skript_bundles WHERE skript_id = $1 AND hash = $2', [id, second]);
  await build(id);
  expect(await numbers()).toEqual([3, 1]);
  await app.sql('UPDATE skript_bundles SET number = NULL WHERE skript_id = $1 AND number = 1', [id]);
  await write(id, one);
  await build(id);
  expect(await numbers()).toEqual([4, 3]);
});

test('a version keeps its files when the skript changes', async () => {
  const id = await skriptWith(one);
  const hash = await build(id);
  await write(id, two);
  const { status, body } = await versions(id, hash);
  expect([status, body.current]).toEqual([200, true]);
  expect(body.files).toEqual([
    { name: 'lib/a.js', size: 6, content: one['lib/a.js'] },
    { name: 'main.js', size: 26, content: one['main.js'] },
  ]);
});

test('restoring a version replaces files and bundle, and keeps ids, inputs and settings', async () => {
  const id = await skriptWith(one);
  await api('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'input.json', val: 1 });
  const [hash, before] = [await build(id), await get(id)];
  await write(id, two);
  await build(id);
  const { status, body } = await restore(id, hash);
  expect([status, body.files]).toEqual([200, { added: 1, changed: 1, unchanged: 0, removed: 1 }]);
  expect(body.skript).toMatchObject({ stale: false, bundle_hash: hash, title: before.title });
  expect(await read(id)).toEqual(one);
  const idOfMain = (skript: any) => skript.files.find(({ name }: { name: string }) => name === 'main.js').id;
  expect(idOfMain(body.skript)).toBe(idOfMain(before));
  expect((await api('GET', `/joint-api/inputs/list?skript_id=${id}`)).body.total).toBe(1);
  expect((await versions(id, 'list?sort=created_at')).body.items.map(({ current }: any) => current)).toEqual([
    true,
    false,
  ]);
  expect(await build(id)).toBe(hash);
});

test('restoring a version is refused if its files exceed the account’s quota', async () => {
  const id = await skriptWith({ ...one, 'large.txt': 'x'.repeat(1_000) });
  const hash = await build(id);
  await write(id, two);
  const allow = (quotas: object) => app.sql(`UPDATE users SET quotas = $1 WHERE username = 'developer'`, [quotas]);
  const { used } = (await api('GET', '/joint-api/account')).body.quotas.file_bytes;
  await allow({ file_bytes: used + 900 });
  const { status, body } = await restore(id, hash);
  await allow({});
  expect([status, body.error_code, body.details.quota]).toEqual([413, 'payload_too_large', 'file_bytes']);
  expect(await read(id)).toEqual(two);
});

test('a skript is marked as stale correctly if a file changes while a version is restored', async () => {
  const id = await skriptWith(one);
  const hash = await build(id);
  for (let round = 0; round < 5; round += 1) {
    await write(id, two);
    const [{ id: fileId }] = (await get(id)).files;
    const changed = { content: `module.exports = ${round};` };
    await Promise.all([restore(id, hash), api('PUT', `/joint-api/skript-files/${fileId}`, changed)]);
    const [files, { stale }] = [await read(id), await get(id)];
    expect(stale).toBe(
      JSON.stringify(files) !== JSON.stringify({ 'lib/a.js': one['lib/a.js'], 'main.js': one['main.js'] }),
    );
  }
});

test('a comparison of versions lists each changed file with a diff that turns one into the other', async () => {
  const same = { 'same.js': 'x' };
  const id = await skriptWith({ ...one, ...same });
  const first = await build(id);
  await write(id, { ...two, ...same });
  const { status, body } = await compare(id, first, 'current');
  expect([
    status,
    body.unchanged,
    body.files.map((file: any) => [file.name, file.change, file.from_size, file.to_size]),
  ]).toEqual([
    200,
    1,
    [
      ['lib/a.js', 'removed', 6, null],
      ['main.js', 'changed', 26, 26],
      ['notes.md', 'added', null, 3],
    ],
  ]);
  const [removed, changed, added] = body.files.map(({ diff }: any) => diff);
  expect(changed).toBe(
    '--- a/main.js\n+++ b/main.js\n@@ -1,1 +1,1 @@\n-module.exports = () => 1;\n+module.exports = () => 2;\n',
  );
  expect(applyPatch('', added)).toBe('new');
  expect(applyPatch(one['lib/a.js'], removed)).toBe('');

  const second = await build(id);
  expect((await compare(id, second, first)).body.files.map((file: any) => file.change)).toEqual([
    'added',
    'changed',
    'removed',
  ]);
  expect((await compare(id, second, 'current')).body).toMatchObject({ unchanged: 3, files: [] });
});

test('a comparison of versions lists a change that is too large without a diff', async () => {
  const lines = (word: string) => Array.from({ length: 5_000 }, (_, line) => `${word} ${line}`).join('\n');
  const id = await skriptWith({ 'main.js': '', 'big.txt': lines('old'), 'small.txt': 'old' });
  const hash = await build(id);
  await write(id, { 'main.js': '', 'big.txt': lines('new'), 'small.txt': 'new' });
  const { body } = await compare(id, hash, 'current');
  expect(body.files).toMatchObject([
    { name: 'big.txt', change: 'changed', from_size: 43_889, diff: null },
    { name: 'small.txt', diff: expect.stringContaining('+new') },
  ]);
});

test('a comparison of versions lists a file with too many lines without a diff', async () => {
  const lines = (count: number, first: string) => first + '\n'.repeat(count);
  const id = await skriptWith({
    'main.js': one['main.js'],
    'long.txt': lines(20_001, 'a'),
    'short.txt': lines(19_000, 'a'),
  });
  const hash = await build(id);
  await write(id, { 'main.js': one['main.js'], 'long.txt': lines(20_001, 'b'), 'short.txt': lines(19_000, 'b') });
  const { body } = await compare(id, hash, 'current');
  expect(body.files).toMatchObject([
    { name: 'long.txt', diff: null },
    { name: 'short.txt', diff: expect.stringContaining('+b') },
  ]);
});

test('versions that are unknown or of other users answer 404, and malformed hashes answer 400', async () => {
  const id = await skriptWith(one);
  const hash = await build(id);
  const other = await skriptWith(two);
  const nobodys = 'f'.repeat(64);
  for (const [path, as] of [
    ['list', others],
    [hash, others],
    [`compare?from=${hash}&to=current`, others],
    [nobodys, api],
    [`compare?from=${nobodys}&to=current`, api],
  ] as const)
    expect([path, (await versions(id, path, as)).status]).toEqual([path, 404]);
  expect((await versions(other, hash)).status).toBe(404);
  expect((await restore(other, hash)).status).toBe(404);
  expect((await others('POST', `/joint-api/skripts/${id}/versions/${hash}/restore`)).status).toBe(404);
  for (const path of ['0'.repeat(63), `compare?from=${hash}`, `compare?from=${hash}&to=now`, `${hash}x`])
    expect([path, (await versions(id, path)).body.error_code]).toEqual([path, 'validation_failed']);
});

describe('versions beyond the limits', () => {
  const NO_LIMIT = 1_000_000_000;
  const drop = async (perSkript: number, bytesPerAccount: number) =>
    pruneVersions(app.part(DataSource), (await api('GET', '/joint-api/account')).body.id, {
      perSkript,
      bytesPerAccount,
    });
  const hashes = async (id: string) =>
    (await versions(id, 'list')).body.items.map((version: { hash: string }) => version.hash);
  async function built(count: number): Promise<{ id: string; hashes: string[] }> {
    const id = await skriptWith({});
    const all: string[] = [];
    for (let value = 0; value < count; value += 1) {
      await write(id, { 'main.js': `module.exports = () => '${randomUUID()}';\n` });
      all.unshift(await build(id));
    }
    return { id, hashes: all };
  }
  const bundles = (of: string[]) => app.sql('SELECT 1 FROM bundles WHERE hash = ANY ($1)', [of]);

  test('are deleted with code and files, the oldest of the skript first', async () => {
    const skript = await built(4);
    await drop(2, NO_LIMIT);
    expect(await hashes(skript.id)).toEqual(skript.hashes.slice(0, 2));
    expect(await bundles(skript.hashes)).toHaveLength(2);
  });

  test('are deleted except the version of the current files, whatever its size', async () => {
    const [one, other] = [await built(2), await built(2)];
    await drop(NO_LIMIT, 1);
    expect(await hashes(one.id)).toEqual(one.hashes.slice(0, 1));
    expect(await hashes(other.id)).toEqual(other.hashes.slice(0, 1));
    await write(one.id, two);
    await drop(NO_LIMIT, 1);
    expect(await hashes(one.id)).toEqual([]);
    expect(await get(one.id)).toMatchObject({ bundle_hash: null, stale: true });
    expect((await versions(other.id, 'list')).body.items[0].current).toBe(true);
  });

  test('are kept while a live run uses them, and deleted after it ends', async () => {
    const skript = await built(2);
    const workerId = (await others('POST', '/joint-api/workers/addnew', { name: randomUUID(), public: true })).body.id;
    const run = await api('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
      worker_id: workerId,
      skript_id: skript.id,
    });
    expect(run.status).toBe(202);
    await write(skript.id, two);
    const newest = await build(skript.id);
    await drop(1, NO_LIMIT);
    expect(await hashes(skript.id)).toEqual([newest, skript.hashes[0]]);
    await api('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${run.body.id}`);
    await drop(1, NO_LIMIT);
    expect(await hashes(skript.id)).toEqual([newest]);
  });

  test('are deleted by the next build', async () => {
    const skript = await built(2);
    const copy = `INSERT INTO skript_bundles (skript_id, hash, built_by, built_at)
      SELECT $1, 'old ' || n, (SELECT owner_id FROM skripts WHERE id = $1), now() - n * interval '1 day' FROM generate_series(1, 60) n`;
    await app.sql(
      `INSERT INTO bundles (hash, code, files, size) SELECT 'old ' || n, '', '[]', 0 FROM generate_series(1, 60) n`,
    );
    await app.sql(copy, [skript.id]);
    await build(skript.id);
    expect((await versions(skript.id, 'list')).body.total).toBe(50);
    expect(await app.sql(`SELECT 1 FROM bundles WHERE hash LIKE 'old %'`)).toHaveLength(48);
  });
});
