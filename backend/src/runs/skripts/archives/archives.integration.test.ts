import { type ClientRequest, request } from 'node:http';
import { LIMITS } from '@trawl/contracts';
import { sampleOf } from '../../../../../scripts/jest/sample.js';
import { appForFile } from '../../../../test/test-app.js';
import { skriptZip, unzip, type ZipEntry, zipOf } from '../../../../test/test-zip.js';
import { until } from '../../../../test/until.js';

const { app, developer: api } = appForFile();

let n = 0;
const newTitle = () => `Archive ${++n}`;
const upload = (zip: Buffer | FormData, type?: string, as: 'developer' | 'admin' = 'developer') => send(zip, type, as);

async function send(body: Buffer | FormData, type: string | undefined, as: 'developer' | 'admin') {
  const response = await fetch(`${app.url}/joint-api/skripts/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await app.token(as)}`,
      ...(body instanceof FormData ? {} : { 'content-type': type ?? 'application/zip' }),
    },
    body: body instanceof FormData ? body : new Uint8Array(body),
  });
  return { status: response.status, body: (await response.json()) as any };
}

async function download(id: string) {
  const response = await fetch(`${app.url}/joint-api/skripts/${id}/download`, {
    headers: { authorization: `Bearer ${await app.token('developer')}` },
  });
  return { headers: response.headers, zip: Buffer.from(await response.arrayBuffer()) };
}

/** Unzips a download. */
const refusalOf = async (zip: Buffer) => {
  const before = (await api('GET', '/joint-api/skripts/list?limit=1')).body.total;
  const { status, body } = await upload(zip);
  expect((await api('GET', '/joint-api/skripts/list?limit=1')).body.total).toBe(before);
  return { status, code: body.error_code, message: body.error_message, details: body.details };
};

test('an uploaded archive creates a skript with its files, inputs and secrets', async () => {
  const title = newTitle();
  const manifest = {
    title,
    category: 'sci',
    retries: 2,
    warm: true,
    worker_response_timeout: 5_000,
    time_limit_ms: 7_200_000,
    howto: 'x',
    files: [],
  };
  const { status, body } = await upload(
    zipOf([
      { name: 'manifest.json', content: `\uFEFF${JSON.stringify(manifest)}` },
      { name: 'main.js', content: 'module.exports = async () => "é";' },
      { name: 'lib/', says: { attributes: 0o040755 << 16 } },
      { name: 'lib/Größe.js', content: 'exports.a = 1;' },
      { name: 'howto.md', content: '# How' },
      { name: 'input-books.json', content: '{"n":[1,null]}' },
      { name: 'inputSecret.json', content: '{"password":"hunter22"}' },
    ]),
  );
  expect([status, body.overwritten]).toEqual([200, false]);
  expect(body).toMatchObject({
    files: { added: 3, changed: 0, unchanged: 0, removed: 0 },
    inputs: { added: 1 },
    input_secrets: { added: 1, changed: 0, unchanged: 0 },
    skript: {
      ...manifest,
      howto: '# How',
      files: expect.any(Array),
      stale: true,
      environment: 'nodejs',
      retry_delay_ms: 5_000,
    },
  });
  expect(body.skript.files.map(({ name }: any) => name).sort()).toEqual(['howto.md', 'lib/Größe.js', 'main.js']);
  const inputs = (await api('GET', `/joint-api/inputs/list?skript_id=${body.skript.id}`)).body.items;
  expect((await api('GET', `/joint-api/inputs/${inputs[0].id}`)).body.val).toEqual({ n: [1, null] });
  expect(JSON.stringify(body)).not.toContain('hunter22');
  const [row] = await app.sql<{ all: string }>(
    `SELECT (SELECT string_agg(content, '') FROM skript_files) || (SELECT string_agg(encode(val_sealed, 'escape'), '') FROM input_secrets) AS all`,
  );
  expect(row?.all).not.toContain('hunter22');
  expect((await api('POST', `/joint-api/skripts/${body.skript.id}/bundle`)).status).toBe(200);
});

test('an upload with an existing title replaces the skript, but keeps its ids and secrets that the archive lacks', async () => {
  const title = newTitle();
  const first = await upload(
    skriptZip(title, [
      { name: 'gone.js', content: '1' },
      { name: 'input-a.json', content: '1' },
      { name: 'input-b.json', content: '1' },
      { name: 'inputSecret-a.json', content: '"one"' },
    ]),
  );
  const { id } = first.body.skript;
  await api('PUT', `/joint-api/skripts/${id}`, { description: 'Mine', retries: 3 });
  const idsOf = async (kind: string) =>
    Object.fromEntries(
      (await api('GET', `/joint-api/${kind}/list?skript_id=${id}`)).body.items.map((item: any) => [item.name, item.id]),
    );
  const before = { ...(await idsOf('inputs')), ...(await idsOf('input-secrets')), ...(await idsOf('skript-files')) };
  const second = await upload(
    skriptZip(title, [
      { name: 'new.js', content: '2' },
      { name: 'input-a.json', content: '2' },
      { name: 'inputSecret-b.json', content: '"two"' },
    ]),
  );
  expect(second.body).toMatchObject({
    overwritten: true,
    files: { added: 1, changed: 0, unchanged: 1, removed: 1 },
    inputs: { added: 0, changed: 1, unchanged: 0, removed: 1 },
    input_secrets: { added: 1, changed: 0, unchanged: 1 },
    skript: { id, description: '', retries: 0 },
  });
  const after = { ...(await idsOf('inputs')), ...(await idsOf('input-secrets')), ...(await idsOf('skript-files')) };
  expect(Object.keys(after).sort()).toEqual([
    'input-a.json',
    'inputSecret-a.json',
    'inputSecret-b.json',
    'main.js',
    'new.js',
  ]);
  for (const name of ['input-a.json', 'inputSecret-a.json', 'main.js']) expect(after[name]).toBe(before[name]);
  expect((await upload(skriptZip(title), undefined, 'admin')).body.overwritten).toBe(false);
});

test('an upload with a new title does not overwrite another skript of the same category', async () => {
  const { skript } = (await upload(skriptZip(newTitle()))).body;
  expect((await upload(skriptZip(newTitle()))).body).toMatchObject({
    overwritten: false,
    skript: { category: 'general' },
  });
  expect((await api('GET', `/joint-api/skripts/${skript.id}`)).status).toBe(200);
});

test('an upload of identical files keeps the skript’s bundle', async () => {
  const zip = skriptZip(newTitle());
  const { id } = (await upload(zip)).body.skript;
  const { hash } = (await api('POST', `/joint-api/skripts/${id}/bundle`)).body;
  expect((await upload(zip)).body.skript).toMatchObject({ stale: false, bundle_hash: hash });
});

test('a downloaded archive contains the whole skript except secrets and can be uploaded again', async () => {
  const { body } = await api('POST', '/joint-api/skripts/addnew', {
    title: 'Bücher “50%”:X: y/../\u202etxt.exe',
    description: 'Line\n"two"',
    environment: 'browser',
    input_schema: { type: 'object' },
    retries: 1,
    warm: true,
  });
  const contents: Record<string, string> = {
    'main.js': '\uFEFFmodule.exports = 1;\r\n',
    'lib/Größe.js': 'x'.repeat(LIMITS.fileBytes),
    empty: '',
  };
  for (const [name, content] of Object.entries(contents))
    await api('POST', '/joint-api/skript-files/addnew', { skript_id: body.id, name, content });
  const val = { a: '\ud800\u0000', n: 1e21, list: [null] };
  await api('POST', '/joint-api/inputs/addnew', { skript_id: body.id, name: 'input.json', val });
  await api('POST', '/joint-api/input-secrets/addnew', {
    skript_id: body.id,
    name: 'inputSecret.json',
    val: 'hunter22',
  });
  const before = (await api('GET', `/joint-api/skripts/${body.id}`)).body;
  const { headers, zip } = await download(body.id);
  expect(headers.get('content-type')).toBe('application/zip');
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="B?cher ?50%?_X_ y_.._txt.exe.zip"; filename*=UTF-8''B%C3%BCcher%20%E2%80%9C50%25%E2%80%9D_X_%20y_.._txt.exe.zip`,
  );
  const texts = await unzip(zip);
  expect(Object.keys(texts).sort()).toEqual(['empty', 'input.json', 'lib/Größe.js', 'main.js', 'manifest.json']);
  expect(zip.toString('latin1') + JSON.stringify(texts)).not.toMatch(/hunter22|inputSecret/);
  await api('DELETE', `/joint-api/skripts/${body.id}`);

  const { skript } = (await upload(zip)).body;
  const same = ({ title, description, environment, input_schema, retries, warm, category, howto, files }: any) => ({
    title,
    description,
    environment,
    input_schema,
    retries,
    warm,
    category,
    howto,
    files: files.map((file: any) => [file.name, file.size]),
  });
  expect(same(skript)).toEqual(same(before));
  for (const file of skript.files)
    expect((await api('GET', `/joint-api/skript-files/${file.id}`)).body.content).toBe(contents[file.name]);
  const [input] = (await api('GET', `/joint-api/inputs/list?skript_id=${skript.id}`)).body.items;
  expect((await api('GET', `/joint-api/inputs/${input.id}`)).body.val).toEqual(val);
});

test('an upload and a download keep the bytes of binary files', async () => {
  const picture = Buffer.alloc(LIMITS.binaryFileBytes, 'ff00d89e', 'hex');
  const latin1 = Buffer.from('name;price\nSmør;1\n', 'latin1');
  const archive = skriptZip(newTitle(), [
    { name: 'img/logo.png', content: picture },
    { name: 'prices.csv', content: latin1 },
  ]);
  const { status, body } = await upload(archive);
  expect(status).toBe(200);
  const [logo] = body.skript.files;
  const { content } = (await api('GET', `/joint-api/skript-files/${logo.id}`)).body;
  expect(content).toBe(`data:application/octet-stream;base64,${picture.toString('base64')}`);
  const { zip } = await download(body.skript.id);
  expect((await upload(zip)).body.files).toEqual({ added: 0, changed: 0, unchanged: 3, removed: 0 });
});

test('an upload ignores a common top folder and files such as .DS_Store', async () => {
  const { status, body } = await upload(
    zipOf([
      { name: 'shop-main/', says: { attributes: 0o040755 << 16 } },
      { name: 'shop-main/manifest.json', content: JSON.stringify({ title: newTitle() }) },
      { name: 'shop-main/main.js' },
      { name: 'shop-main/lib/a.js' },
      { name: 'shop-main/.DS_Store', content: Buffer.from([0, 1, 2]) },
      { name: '__MACOSX/shop-main/._main.js', content: Buffer.from([0, 255]) },
    ]),
  );
  expect([status, body.skript?.files.map(({ name }: any) => name)]).toEqual([200, ['lib/a.js', 'main.js']]);
});

test.each(['', 'shop-main/'])('an upload skips files with secrets or dependencies, in the folder "%s"', async top => {
  const files: ZipEntry[] = [
    { name: 'manifest.json', content: JSON.stringify({ title: newTitle() }) },
    { name: 'main.js' },
    { name: 'lib/dist/kept.js' },
    { name: 'distance.js' },
    { name: 'env.js' },
    { name: 'lib/node_modules.js' },
    { name: 'node_modules/', says: { attributes: 0o040755 << 16 } },
    { name: 'node_modules/a/main.js', content: 'hunter22' },
    { name: 'node_modules/.bin/a', content: '../a', says: { attributes: 0o120777 << 16 } },
    { name: 'node_modules/a/b.node', content: Buffer.from([0, 255]) },
    { name: 'node_modules/a/huge.js', says: { size: 0xffff_fff0 } },
    { name: 'lib/Node_Modules/b.js' },
    { name: '.git/config', content: 'hunter22' },
    { name: 'dist/mainBundle.js', content: 'hunter22' },
    { name: '.env', content: 'hunter22' },
    { name: '.env.local', content: 'hunter22' },
    { name: '.envrc', content: 'hunter22' },
    { name: 'lib/.ENV', content: 'hunter22' },
    { name: 'dex8auth.json', content: '"hunter22"' },
    { name: '.npmrc', content: 'hunter22' },
    { name: '.trawl/sync.json', content: 'hunter22' },
    { name: 'lib/server.pem', content: 'hunter22' },
  ];
  const { status, body } = await upload(zipOf(files.map(file => ({ ...file, name: `${top}${file.name}` }))));
  expect([status, body.skript?.files.map(({ name }: any) => name)]).toEqual([
    200,
    ['distance.js', 'env.js', 'lib/dist/kept.js', 'lib/node_modules.js', 'main.js'],
  ]);
  expect(body.skipped).toEqual([
    '.env',
    '.env.local',
    '.envrc',
    '.git/',
    '.npmrc',
    '.trawl/',
    'dex8auth.json',
    'dist/',
    'lib/.ENV',
    'lib/Node_Modules/',
    'lib/server.pem',
    'node_modules/',
  ]);
  const [{ found }] = (await app.sql(
    `SELECT count(*)::int AS found FROM skript_files WHERE skript_id = '${body.skript.id}' AND content LIKE '%hunter22%'`,
  )) as any;
  expect(found).toBe(0);
});

test('an upload keeps the files of a common top folder named dist', async () => {
  const { body } = await upload(
    zipOf([{ name: 'dist/manifest.json', content: JSON.stringify({ title: newTitle() }) }, { name: 'dist/main.js' }]),
  );
  expect(body).toMatchObject({ skipped: [], skript: { files: [{ name: 'main.js' }] } });
});

test('skipped entries of an archive count towards the limit, and the answer lists at most 100 of them', async () => {
  const skipped = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `${i}/.env${'x'.repeat(1_000)}` }));
  const { status, body } = await upload(skriptZip(newTitle(), skipped(1_998)));
  expect([status, body.skipped?.length, Math.max(...(body.skipped ?? []).map((name: string) => name.length))]).toEqual([
    200, 100, 300,
  ]);
  expect(await refusalOf(skriptZip(newTitle(), skipped(1_999)))).toMatchObject({
    status: 413,
    message: expect.stringContaining('node_modules'),
  });
});

test('an archive with a path out of the archive is refused even if the entry would be skipped', async () => {
  expect(await refusalOf(skriptZip(newTitle(), [{ name: '../node_modules/a.js' }]))).toMatchObject({
    status: 422,
    code: 'archive_invalid',
  });
});

test('an upload ignores spaces around the title in the manifest', async () => {
  const title = newTitle();
  await upload(zipOf([manifest({ title }), main]));
  const { body } = await upload(zipOf([manifest({ title: ` ${title} ` }), main]));
  expect(body).toMatchObject({ overwritten: true, skript: { title } });
});

test('an archive can be uploaded as the only file of a form', async () => {
  const form = (...names: string[]) => {
    const data = new FormData();
    for (const name of names) data.append(name, new Blob([new Uint8Array(skriptZip(newTitle()))]), 'skript.zip');
    return data;
  };
  expect((await upload(form('archive'))).status).toBe(200);
  expect((await upload(form('archive', 'other'))).body.error_code).toBe('bad_request');
  expect((await upload(new FormData())).body.error_code).toBe('bad_request');
  const tooLarge = new FormData();
  tooLarge.append('archive', new Blob([new Uint8Array(LIMITS.archiveBytes + 1)]), 'x.zip');
  expect((await upload(tooLarge)).status).toBe(413);
});

describe('an upload of a list of files', () => {
  const uploadFiles = (files: unknown) => api('POST', '/joint-api/skripts/upload-files', { files });
  const manifestOf = (title: string) => ({ name: 'manifest.json', content: JSON.stringify({ title }) });
  const mainJs = { name: 'main.js', content: 'module.exports = 1;\n' };

  test('makes the same skript as an archive with these files', async () => {
    const title = newTitle();
    const { status, body } = await uploadFiles([
      { ...manifestOf(title), name: 'top/manifest.json' },
      { name: 'top/main.js', content: Buffer.from(mainJs.content).toString('base64'), encoding: 'base64' },
      { name: 'top/lib/ž.js', content: 'ž', encoding: 'utf-8' },
      { name: 'top/input.json', content: '[1]' },
      { name: 'top/inputSecret.json', content: '"s"' },
      { name: 'top/node_modules/a/index.js', content: '' },
      { name: 'top/dist/mainBundle.js', content: '' },
    ]);
    expect([status, body.overwritten, body.skipped]).toEqual([200, false, ['dist/', 'node_modules/']]);
    expect(body.skript).toMatchObject({ title, files: [{ name: 'lib/ž.js', size: 2 }, { name: 'main.js' }] });
    const { zip } = await download(body.skript.id);
    expect((await upload(zip)).body).toMatchObject({
      overwritten: true,
      files: { added: 0, changed: 0, unchanged: 2, removed: 0 },
      inputs: { unchanged: 1 },
    });
  });

  test('is checked like an archive: bad names, contents and sizes are refused', async () => {
    for (const [file, code] of [
      [{ name: '../x.js', content: '' }, 'archive_invalid'],
      [{ name: 'MAIN.js', content: '' }, 'archive_invalid'],
      [{ name: 'a.js', content: 'a\u0000' }, 'archive_invalid'],
      [{ name: 'a.js', content: '\ud800' }, 'archive_invalid'],
      [{ name: 'a.js', content: '=', encoding: 'base64' }, 'archive_invalid'],
      [{ name: 'a.js', content: '/w==', encoding: 'base64' }, 'archive_invalid'],
      [{ name: 'a.js', content: 'x'.repeat(LIMITS.fileBytes + 1) }, 'payload_too_large'],
    ] as const) {
      expect((await uploadFiles([manifestOf(newTitle()), mainJs, file])).body.error_code).toBe(code);
    }
  });

  test('is refused with the field of a malformed item', async () => {
    for (const [file, field] of [
      [{ name: '', content: '' }, 'files.1.name'],
      [{ name: 'a.js' }, 'files.1.content'],
      [{ name: 'a.js', content: '', encoding: 'latin1' }, 'files.1.encoding'],
      [{ name: 'a.js', content: '', mode: 1 }, 'files.1'],
      ['a.js', 'files.1'],
    ]) {
      expect(await uploadFiles([mainJs, file])).toMatchObject({
        status: 400,
        body: { error_code: 'validation_failed', details: [{ field }] },
      });
    }
  });
});

const main: ZipEntry = { name: 'main.js' };
const manifest = (fields: unknown): ZipEntry => ({ name: 'manifest.json', content: JSON.stringify(fields) });

test('an archive without manifest.json or main.js is refused', async () => {
  expect(await refusalOf(zipOf([main]))).toMatchObject({ status: 422, code: 'manifest_missing' });
  expect(await refusalOf(zipOf([]))).toMatchObject({ status: 422, code: 'manifest_missing' });
  expect(await refusalOf(zipOf([manifest({ title: 'x' })]))).toMatchObject({ status: 422, code: 'main_missing' });
  expect(await refusalOf(zipOf([manifest({ title: 'x' }), { name: 'Main.js' }]))).toMatchObject({
    code: 'main_missing',
  });
});

test.each([
  ['title', {}],
  ['title', { title: ' ' }],
  ['retries', { title: 'x', retries: 11 }],
  ['environment', { title: 'x', environment: 'cobol' }],
  ['input_schema', { title: 'x', input_schema: { type: 'sting' } }],
])('an archive whose manifest has an invalid field is refused: %s', async (field, fields) => {
  expect(await refusalOf(zipOf([manifest(fields), main]))).toMatchObject({
    status: 422,
    code: 'manifest_invalid',
    message: expect.stringContaining(field),
    details: [{ field }],
  });
});

test('an upload ignores and lists unknown fields of the manifest', async () => {
  const title = newTitle();
  const unknown = '"version": "1.0.0", "owner_id": "me", "__proto__": { "a": 1 }';
  const content = `{ "title": "${title}", ${unknown}, "howto": "", "retries": 2 }`;
  const { status, body } = await upload(zipOf([{ name: 'manifest.json', content }, main]));
  expect([status, body.ignored_fields]).toEqual([200, ['__proto__', 'owner_id', 'version']]);
  expect(body.skript).toMatchObject({ title, retries: 2 });
});

test.each(['[]', 'null', '"x"', '{', '['.repeat(2_000)])(
  'an archive whose manifest is no JSON object is refused, %#',
  async content => {
    expect(await refusalOf(zipOf([{ name: 'manifest.json', content }, main]))).toMatchObject({
      code: 'manifest_invalid',
    });
  },
);

const BAD_ENTRIES: [what: string, entry: ZipEntry][] = [
  ['an absolute path', { name: '/etc/passwd' }],
  ['the path of a drive', { name: 'C:/x.js' }],
  ['a path out of the archive', { name: '../x.js' }],
  ['a path out in the middle', { name: 'lib/../../x.js' }],
  ['a folder out', { name: '../', says: { attributes: 0o040755 << 16 } }],
  ['a backslash', { name: '..\\x.js' }],
  ['a NUL', { name: 'a\0.js' }],
  ['a Windows device', { name: 'lib/nul.js' }],
  ['a name that is not UTF-8', { name: Buffer.from([0x61, 0xff, 0x2e]) }],
  ['a secret in a folder', { name: 'lib/inputSecret.json' }],
  ['a secret with a bad name', { name: 'INPUTSECRET.json', content: '"hunter22"' }],
  ['a secret that is not JSON', { name: 'inputSecret.json', content: 'hunter22' }],
  ['an input that is not JSON', { name: 'input.json', content: '{' }],
  ['an input with too many levels', { name: 'input.json', content: '['.repeat(501) + ']'.repeat(501) }],
  ['an input in another case', { name: 'INPUT.json', content: '1' }],
  ['the same name twice', { name: 'main.js' }],
  ['a name in another case', { name: 'MAIN.js' }],
  ['a file that is a folder', { name: 'main.js/x.js' }],
  ['a symbolic link', { name: 'link.js', content: '/etc/passwd', says: { attributes: 0o120777 << 16 } }],
  ['a device', { name: 'dev.js', says: { attributes: 0o020666 << 16 } }],
  ['an encrypted file', { name: 'x.js', says: { flags: 0x801 } }],
  ['an unknown compression', { name: 'x.js', says: { method: 14 } }],
  ['more bytes than declared', { name: 'x.js', content: 'x'.repeat(5_000_000), says: { size: 10 } }],
  ['fewer bytes than declared', { name: 'x.js', content: 'x', says: { size: 10 } }],
  ['a wrong checksum', { name: 'x.js', content: 'x', says: { crc: 1 } }],
  ['code that is not UTF-8', { name: 'x.js', content: Buffer.from([0x2f, 0x2f, 0xe9]) }],
  ['code with a NUL', { name: 'x.js', content: 'a\0b' }],
];
test.each(sampleOf(BAD_ENTRIES, { oneIn: 3 }))(
  'an archive with %s is refused with the name of the entry',
  async (_what, entry) => {
    const refusal = await refusalOf(skriptZip(newTitle(), [entry]));
    const name = Buffer.isBuffer(entry.name) ? entry.name.toString('latin1') : entry.name;
    expect(refusal).toMatchObject({ status: 422, code: 'archive_invalid', details: { entry: name } });
    expect(JSON.stringify(refusal)).not.toContain('hunter22');
  },
);

const LARGE: [what: string, entries: ZipEntry[], message: string][] = [
  ['a file that is too large', [{ name: 'big.js', content: Buffer.alloc(LIMITS.fileBytes + 1, 'x') }], 'big.js'],
  [
    'a picture that is too large',
    [{ name: 'big.png', content: Buffer.alloc(LIMITS.binaryFileBytes + 1, 0xff) }],
    `is ${LIMITS.binaryFileBytes + 1} bytes; the limit for a file that is not UTF-8 text is ${LIMITS.binaryFileBytes}`,
  ],
  ['a zip bomb by its declared size', [{ name: 'bomb.js', says: { size: 0xffff_fff0 } }], 'bomb.js'],
  [
    'files that are too large together',
    Array.from({ length: 5 }, (_, i) => ({ name: `${i}.js`, content: Buffer.alloc(LIMITS.fileBytes, 'x') })),
    'in total',
  ],
  [
    'too many unpacked bytes',
    Array.from({ length: 17 }, (_, i) => ({ name: `${i}.js`, content: Buffer.alloc(LIMITS.fileBytes, 'x') })),
    'unpacked',
  ],
  ['too many files', Array.from({ length: 501 }, (_, i) => ({ name: `${i}.js` })), '502 files'],
  [
    'too many entries',
    Array.from({ length: 2_001 }, (_, i) => ({ name: `${i}/`, says: { attributes: 0 } })),
    '2000 entries',
  ],
  [
    'an input that is too large',
    [{ name: 'input.json', content: JSON.stringify('x'.repeat(LIMITS.inputBytes)) }],
    'input.json is',
  ],
];
test.each(sampleOf(LARGE, { oneIn: 2 }))(
  'an archive with %s is refused with the limit that it exceeds',
  async (_what, entries, message) => {
    expect(await refusalOf(skriptZip(newTitle(), entries))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      message: expect.stringContaining(message),
    });
  },
);

test('an upload is refused if it is empty, too large, cut off or no zip file', async () => {
  expect(await refusalOf(Buffer.from('not a zip'))).toMatchObject({ status: 422, code: 'archive_invalid' });
  const whole = skriptZip(newTitle());
  expect(await refusalOf(whole.subarray(0, whole.length - 30))).toMatchObject({ status: 422, code: 'archive_invalid' });
  expect(await upload(whole, 'application/json')).toMatchObject({ status: 415 });
  expect(await upload(Buffer.alloc(0))).toMatchObject({ status: 400 });
  expect(await upload(Buffer.alloc(LIMITS.archiveBytes + 1))).toMatchObject({ status: 413 });
  const anonymous = await app.anonymous('POST', '/joint-api/skripts/upload', 'x', {
    'content-type': 'application/zip',
  });
  expect(anonymous.status).toBe(401);
});

test('an archive with any damaged byte never causes a server error', async () => {
  const zip = skriptZip(newTitle(), [{ name: 'input.json', content: '[1]' }]);
  for (const at of sampleOf([...zip.keys()], { oneIn: 37 })) {
    const damaged = Buffer.from(zip);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    const { status } = await upload(damaged);
    expect([at, [200, 413, 422].includes(status)]).toEqual([at, true]);
  }
});

test('of concurrent uploads with one title, one creates the skript and the others replace it completely', async () => {
  for (let round = 0; round < (isFullTest ? 5 : 1); round += 1) {
    const title = newTitle();
    const zips = ['a', 'b', 'c'].map(word => skriptZip(title, [{ name: `${word}.js`, content: word }]));
    const answers = await Promise.all(zips.map(zip => upload(zip)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.filter(({ body }) => !body.overwritten)).toHaveLength(1);
    const { items } = (await api('GET', `/joint-api/skripts/list?title_contains=${encodeURIComponent(title)}`)).body;
    const found = items.filter((item: any) => item.title === title);
    expect(found).toHaveLength(1);
    expect(found[0].files).toHaveLength(2);
  }
});

test('an upload during a change or deletion of its skript leaves no partial result', async () => {
  const title = newTitle();
  const zip = skriptZip(title, [{ name: 'a.js', content: 'from the archive' }]);
  for (let round = 0; round < (isFullTest ? 6 : 2); round += 1) {
    const { skript } = (await upload(zip)).body;
    await api('POST', `/joint-api/skripts/${skript.id}/bundle`);
    const file = skript.files.find(({ name }: any) => name === 'a.js');
    const meanwhile =
      round % 2 === 0
        ? api('PUT', `/joint-api/skript-files/${file.id}`, { content: `changed ${round}` })
        : api('DELETE', `/joint-api/skripts/${skript.id}`);
    const [uploaded, other] = await Promise.all([upload(zip), meanwhile]);
    expect([uploaded.status, other.status]).toEqual([200, 200]);
    const now = await api('GET', `/joint-api/skripts/${uploaded.body.skript.id}`);
    if (now.status === 200) expect(now.body.files.map(({ name }: any) => name)).toEqual(['a.js', 'main.js']);
  }
});

test('a user can have four uploads at a time, and an aborted upload frees its slot', async () => {
  const authorization = `Bearer ${await app.token('developer')}`;
  const headers = { authorization, 'content-type': 'application/zip', 'content-length': '1000' };
  const unfinished: ClientRequest[] = [];
  const begin = () => {
    const started = request(`${app.url}/joint-api/skripts/upload`, { method: 'POST', headers });
    // Begin again if this upload is refused, which happens while the complete upload below takes a slot.
    started
      .on('response', begin)
      .on('error', () => {})
      .write('PK');
    unfinished.push(started);
  };
  for (let count = 0; count < 4; count += 1) begin();
  const zip = skriptZip(newTitle());
  const refused = await until(
    () => upload(zip),
    ({ status }) => status !== 200,
  );
  expect(refused).toMatchObject({ status: 429, body: { error_code: 'too_many_requests' } });
  expect((await upload(skriptZip(newTitle()), undefined, 'admin')).status).toBe(200);
  for (const started of unfinished) started.off('response', begin).destroy();
  await until(
    () => upload(zip),
    ({ status }) => status === 200,
  );
});
