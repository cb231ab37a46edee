import { type ClientRequest, request } from 'node:http';
import { LIMITS } from '@trawl/contracts';
import { fromBuffer } from 'yauzl';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { skriptZip, type ZipEntry, zipOf } from '../../test/test-zip.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

let app: TestApp;
let api: Api;

beforeAll(async () => {
  app = await startTestApp();
  api = await app.as('developer');
}, 60_000);
afterAll(() => app?.close());

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

/** What any tool would find in a zip. */
const unzip = (zip: Buffer): Promise<Record<string, string>> =>
  new Promise((resolve, reject) => {
    const texts: Record<string, string> = {};
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error) return reject(error);
      opened.on('error', reject).on('end', () => resolve(texts));
      opened.on('entry', entry =>
        opened.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          texts[entry.fileName] = Buffer.concat(chunks).toString();
          opened.readEntry();
        }),
      );
      opened.readEntry();
    });
  });

const refusalOf = async (zip: Buffer) => {
  const before = (await api('GET', '/joint-api/skripts/list?limit=1')).body.total;
  const { status, body } = await upload(zip);
  expect((await api('GET', '/joint-api/skripts/list?limit=1')).body.total).toBe(before);
  return { status, code: body.error_code, message: body.error_message, details: body.details };
};

test('an archive becomes a skript with its files, inputs and secrets', async () => {
  const title = newTitle();
  const manifest = {
    title,
    category: 'sci',
    retries: 2,
    warm: true,
    worker_response_timeout: 5_000,
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

test('an archive of the same title overwrites the skript, keeps ids and the secrets that it does not have', async () => {
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

test('a skript of the same category is left alone', async () => {
  const { skript } = (await upload(skriptZip(newTitle()))).body;
  expect((await upload(skriptZip(newTitle()))).body).toMatchObject({
    overwritten: false,
    skript: { category: 'general' },
  });
  expect((await api('GET', `/joint-api/skripts/${skript.id}`)).status).toBe(200);
});

test('files that are the same leave the bundle as it is', async () => {
  const zip = skriptZip(newTitle());
  const { id } = (await upload(zip)).body.skript;
  const { hash } = (await api('POST', `/joint-api/skripts/${id}/bundle`)).body;
  expect((await upload(zip)).body.skript).toMatchObject({ stale: false, bundle_hash: hash });
});

test('what is downloaded is what an upload makes, but for secrets', async () => {
  const { body } = await api('POST', '/joint-api/skripts/addnew', {
    title: 'Bücher “50%”\r\nX: y/../\u202etxt.exe',
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

test('one folder around everything, and what systems leave in folders, is no matter', async () => {
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

test('a title is the same with spaces at its ends', async () => {
  const title = newTitle();
  await upload(zipOf([manifest({ title }), main]));
  const { body } = await upload(zipOf([manifest({ title: ` ${title} ` }), main]));
  expect(body).toMatchObject({ overwritten: true, skript: { title } });
});

test('an archive may come as the file of a form', async () => {
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

const main: ZipEntry = { name: 'main.js' };
const manifest = (fields: unknown): ZipEntry => ({ name: 'manifest.json', content: JSON.stringify(fields) });

test('an archive without a manifest or a main.js is no skript', async () => {
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
  ['owner_id', { title: 'x', owner_id: 'me' }],
  ['__proto__', JSON.parse('{ "title": "x", "__proto__": {} }')],
])('a manifest that cannot be is refused by its field: %s', async (field, fields) => {
  expect(await refusalOf(zipOf([manifest(fields), main]))).toMatchObject({
    status: 422,
    code: 'manifest_invalid',
    message: expect.stringContaining(field),
    details: [{ field }],
  });
});

test.each(['[]', 'null', '"x"', '{', '['.repeat(2_000)])(
  'a manifest that is no object is refused, %#',
  async content => {
    expect(await refusalOf(zipOf([{ name: 'manifest.json', content }, main]))).toMatchObject({
      code: 'manifest_invalid',
    });
  },
);

test.each<[string, ZipEntry]>([
  ['an absolute path', { name: '/etc/passwd' }],
  ['the path of a drive', { name: 'C:/x.js' }],
  ['a way out', { name: '../x.js' }],
  ['a way out in the middle', { name: 'lib/../../x.js' }],
  ['a folder out', { name: '../', says: { attributes: 0o040755 << 16 } }],
  ['a backslash', { name: '..\\x.js' }],
  ['a NUL', { name: 'a\0.js' }],
  ['a Windows device', { name: 'lib/nul.js' }],
  ['a name that is not UTF-8', { name: Buffer.from([0x61, 0xff, 0x2e]) }],
  ['a secret in a folder', { name: 'lib/inputSecret.json' }],
  ['a secret that is named otherwise', { name: 'INPUTSECRET.json', content: '"hunter22"' }],
  ['a secret that is no JSON', { name: 'inputSecret.json', content: 'hunter22' }],
  ['an input that is no JSON', { name: 'input.json', content: '{' }],
  ['an input with too many levels', { name: 'input.json', content: '['.repeat(501) + ']'.repeat(501) }],
  ['an input in another case', { name: 'INPUT.json', content: '1' }],
  ['the same name twice', { name: 'main.js' }],
  ['a name in another case', { name: 'MAIN.js' }],
  ['a file that is a folder', { name: 'main.js/x.js' }],
  ['a symbolic link', { name: 'link.js', content: '/etc/passwd', says: { attributes: 0o120777 << 16 } }],
  ['a device', { name: 'dev.js', says: { attributes: 0o020666 << 16 } }],
  ['an encrypted file', { name: 'x.js', says: { flags: 0x801 } }],
  ['an unknown compression', { name: 'x.js', says: { method: 14 } }],
  ['more than it says', { name: 'x.js', content: 'x'.repeat(5_000_000), says: { size: 10 } }],
  ['less than it says', { name: 'x.js', content: 'x', says: { size: 10 } }],
  ['a wrong checksum', { name: 'x.js', content: 'x', says: { crc: 1 } }],
  ['a picture', { name: 'logo.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) }],
  ['a text with a NUL', { name: 'x.js', content: 'a\0b' }],
])('an archive with %s is refused by the name of the entry', async (_what, entry) => {
  const refusal = await refusalOf(skriptZip(newTitle(), [entry]));
  const name = Buffer.isBuffer(entry.name) ? entry.name.toString('latin1') : entry.name;
  expect(refusal).toMatchObject({ status: 422, code: 'archive_invalid', details: { entry: name } });
  expect(JSON.stringify(refusal)).not.toContain('hunter22');
});

test.each<[string, ZipEntry[], string]>([
  ['a file that is too large', [{ name: 'big.js', content: Buffer.alloc(LIMITS.fileBytes + 1, 'x') }], 'big.js'],
  ['a bomb by what it says', [{ name: 'bomb.js', says: { size: 0xffff_fff0 } }], 'bomb.js'],
  [
    'files that are too large together',
    Array.from({ length: 5 }, (_, i) => ({ name: `${i}.js`, content: Buffer.alloc(LIMITS.fileBytes, 'x') })),
    'together',
  ],
  [
    'more unpacked than may be',
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
])('an archive with %s is refused with the limit', async (_what, entries, message) => {
  expect(await refusalOf(skriptZip(newTitle(), entries))).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    message: expect.stringContaining(message),
  });
});

test('what is no zip at all is refused', async () => {
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

test('any damaged byte is an answer, never a failure of ours', async () => {
  const zip = skriptZip(newTitle(), [{ name: 'input.json', content: '[1]' }]);
  for (let at = 0; at < zip.length; at += 7) {
    const damaged = Buffer.from(zip);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    const { status } = await upload(damaged);
    expect([at, [200, 413, 422].includes(status)]).toEqual([at, true]);
  }
});

test('of two uploads at once one makes the skript and the other overwrites it, each in full', async () => {
  for (let round = 0; round < 5; round += 1) {
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

test('an upload while a file is changed or the skript deleted leaves no half of either', async () => {
  const title = newTitle();
  const zip = skriptZip(title, [{ name: 'a.js', content: 'from the archive' }]);
  for (let round = 0; round < 6; round += 1) {
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

test('four uploads of one user may be under way, and those that are broken off make room again', async () => {
  const authorization = `Bearer ${await app.token('developer')}`;
  const headers = { authorization, 'content-type': 'application/zip', 'content-length': '1000' };
  const unfinished: ClientRequest[] = [];
  const begin = () => {
    const started = request(`${app.url}/joint-api/skripts/upload`, { method: 'POST', headers });
    // Refused while the whole one below is on its way.
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
