import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Skript, Trawl } from '@trawl/client';
import { LIMITS } from '@trawl/contracts';
import { compareFields, compareTexts, isSameJson } from './compare.js';
import { valuesFor } from './default-values.js';
import { hashesOf, hashOfText } from './hashes.js';
import { mergeManifest } from './merge-manifest.js';
import { isFolderName, isSafePath, localPart } from './names.js';
import { byKind, checkLimits, readSkriptFolder } from './read-folder.js';
import { compare, sendChanges } from './send-changes.js';
import { readSynced } from './sync.js';
import { planWrites, writeFiles } from './write-files.js';
import { unzip, zip } from './zip.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-cli-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('names of files and skripts from the platform', () => {
  it.each(['main.js', 'lib/parse.js', 'a/b/c.txt', 'with space.csv', 'ünï.js'])(
    'the command line may write a file named %j',
    name => {
      expect(isSafePath(name)).toBe(true);
    },
  );

  it.each([
    '../evil.js',
    'lib/../../evil.js',
    '/etc/passwd',
    'C:\\evil.js',
    'c:evil.js',
    '..\\evil.js',
    'a//b.js',
    './a.js',
    '',
    'a\0.js',
    'a\x1b[2J.js',
    'con.js',
    'lib/NUL',
    'a.js ',
    'a.js.',
    '.git/config',
    '.git/hooks/post-checkout',
    'node_modules/x/index.js',
    '.env',
    'lib/.npmrc',
    '.trawl/backups/x',
    `${'a'.repeat(301)}.js`,
  ])('the command line does not write a file named %j', name => {
    expect(isSafePath(name)).toBe(false);
  });

  it.each(['..', '.', 'a/b', '../a', '', '.git', 'a\nb'])(
    'the command line makes no folder for a skript titled %j',
    title => {
      expect(isFolderName(title)).toBe(false);
    },
  );
});

describe('writing files of a skript into its folder', () => {
  it('refuses a file whose path leads through a link, and leaves the link’s target unchanged', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'trawl-outside-'));
    symlinkSync(outside, join(folder, 'lib'));
    await expect(planWrites(folder, new Map([['lib/a.js', 'evil']]), new Map(), true)).rejects.toThrow('is a link');
    writeFileSync(join(outside, 'target.js'), 'mine');
    symlinkSync(join(outside, 'target.js'), join(folder, 'main.js'));
    await expect(planWrites(folder, new Map([['main.js', 'evil']]), new Map(), true)).rejects.toThrow('is a link');
    expect(readFileSync(join(outside, 'target.js'), 'utf8')).toBe('mine');
    rmSync(outside, { recursive: true });
  });

  it.each(['', 'platform', 'backups', 'sync.json'])(
    'refuses a link at .trawl/%s that leads out of the folder',
    async name => {
      const outside = mkdtempSync(join(tmpdir(), 'trawl-outside-'));
      if (name) mkdirSync(join(folder, '.trawl'));
      symlinkSync(outside, join(folder, '.trawl', name));
      await expect(readSynced(folder, 'id')).rejects.toThrow('is a link that leads out of the skript');
      rmSync(outside, { recursive: true });
    },
  );

  it('refuses all files if the name of one is not safe', async () => {
    const texts = new Map([
      ['main.js', 'x'],
      ['../evil.js', 'x'],
    ]);
    await expect(planWrites(folder, texts, new Map(), true)).rejects.toThrow('not safe to write');
  });

  it('keeps copies of the files that it replaces', async () => {
    writeFileSync(join(folder, 'main.js'), 'mine');
    writeFileSync(join(folder, 'input.json'), '{ "a": 1 }');
    const texts = new Map([
      ['main.js', 'theirs'],
      ['input.json', '{"a":1}'],
      ['lib/a.js', 'new'],
    ]);
    const plan = await planWrites(folder, texts, new Map(), true);
    expect(plan).toMatchObject({ added: ['lib/a.js'], changed: ['main.js'], conflicts: [] });
    const backup = (await writeFiles(folder, texts, plan)) as string;
    expect(readFileSync(join(folder, backup, 'main.js'), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'main.js'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(folder, 'lib/a.js'), 'utf8')).toBe('new');
  });

  it('takes files changed on the platform, keeps those changed here, and stores both texts of a conflict', async () => {
    const kept = { same: '1', theirs: '1', ours: '1', both: '1', 'gone there': '1', 'gone there, changed here': '1' };
    const before = { ...kept, 'gone here': '1' };
    const here = { ...kept, ours: '2', both: '2', 'gone there, changed here': '2', 'never synced': '2', own: '1' };
    const there = {
      same: '1',
      theirs: '3',
      ours: '1',
      both: '3',
      'never synced': '3',
      'new there': '3',
      'gone here': '1',
    };
    for (const [name, text] of Object.entries(here)) writeFileSync(join(folder, name), text);
    const texts = new Map(Object.entries(there));
    const synced = hashesOf({ title: 'Books' }, Object.entries(before));
    const plan = await planWrites(folder, texts, synced, false);
    expect(plan).toEqual({
      added: ['new there'],
      restored: ['gone here'],
      changed: ['theirs'],
      deleted: ['gone there'],
      kept: ['ours'],
      conflicts: ['both', 'never synced'],
    });
    const backup = (await writeFiles(folder, texts, plan)) as string;
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const written = ['both', '.trawl/platform/both', 'theirs', 'ours', 'gone here'].map(read);
    expect(written).toEqual(['2', '3', '3', '2', '1']);
    expect(readdirSync(folder)).not.toContain('gone there');
    expect(['theirs', 'gone there'].map(name => read(join(backup, name)))).toEqual(['1', '1']);

    const again = await planWrites(folder, texts, hashesOf({ title: 'Books' }, Object.entries(there)), false);
    expect(again).toMatchObject({ changed: [], kept: ['ours'], conflicts: ['both', 'never synced'] });
  });

  it('merges the manifest field by field, and reports a field that changed on both sides', () => {
    const title = 'Books';
    const synced = hashesOf({ title, retries: 0, category: 'a', warm: false, description: '' }, []);
    const local = { title, retries: 2, category: 'b', own: 1 };
    const remote = { title, retries: 0, category: 'c', warm: true, description: '' };
    const left = { conflicts: ['category'], manifest: { ...local, warm: true } };
    expect(mergeManifest(local, remote, synced, false)).toEqual(left);
    expect(mergeManifest(local, remote, synced, true).manifest).toEqual({ ...remote, own: 1, description: undefined });
    expect(mergeManifest({ title }, remote, new Map(), false)).toEqual({ manifest: null, conflicts: [] });
  });
});

describe('reading a skript folder', () => {
  it('skips private files and links, and keeps the bytes of binary files', async () => {
    const files = {
      'manifest.json': '{ "title": " Books " }',
      'main.js': '',
      'lib/dist/x.js': '',
      'dist/mainBundle.js': '',
      'lib/node_modules/x.js': '',
      '.ENV.local': '',
      '.trawl/backups/main.js': '',
      'server.pem': '',
      '.DS_Store': '',
      'input1.json': '1',
      'inputSecret.json': '2',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const picture = Buffer.from([0xff, 0xd8, 0]);
    writeFileSync(join(folder, 'cover.png'), picture);
    symlinkSync('/etc/passwd', join(folder, 'passwd'));
    const { manifest, files: read, inputs, secrets, skipped } = await readSkriptFolder(folder);
    expect(manifest.title).toBe('Books');
    expect([...read.keys(), ...inputs.keys(), ...secrets.keys()]).toEqual([
      'cover.png',
      'lib/dist/x.js',
      'main.js',
      'input1.json',
      'inputSecret.json',
    ]);
    const texts = await unzip(Uint8Array.from(await zip(read)).buffer);
    expect(texts).toEqual(read);
    await writeFiles(folder, texts, {
      added: [],
      restored: [],
      changed: ['cover.png'],
      deleted: [],
      kept: [],
      conflicts: [],
    });
    expect(readFileSync(join(folder, 'cover.png'))).toEqual(picture);
    expect(skipped.sort()).toEqual(
      ['.DS_Store', '.ENV.local', '.trawl/', 'dist/', 'lib/node_modules/', 'passwd (a link)', 'server.pem'].sort(),
    );
  });

  it.each([
    ['lib.js', Buffer.from('// é', 'latin1'), 'lib.js is not UTF-8 text. Save it as UTF-8.'],
    ['big.png', Buffer.alloc(LIMITS.binaryFileBytes + 1, 0xff), 'big.png has 768001 bytes; a file that is not text'],
  ])('refuses %s, whose encoding or size the platform does not accept', async (name, bytes, message) => {
    writeFileSync(join(folder, 'manifest.json'), '{ "title": "Books" }');
    writeFileSync(join(folder, name), bytes);
    await expect(readSkriptFolder(folder)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      exitCode: 2,
    });
  });

  it.each<[string, [name: string, text: string][], string]>([
    ['files', Array.from({ length: 501 }, (_, count) => [`${count}.txt`, '']), '501 files; a skript may have 500'],
    ['bytes', Array.from({ length: 5 }, (_, count) => [`${count}.txt`, 'x'.repeat(1_000_000)]), '5000000 bytes'],
    ['bytes of an input', [['input.json', JSON.stringify('x'.repeat(262_143))]], 'input.json has 262145 bytes'],
  ])('refuses a skript with too many %s before an upload', (_kind, texts, message) => {
    const all = { folder, manifest: { title: 'Books' }, ...byKind(new Map(texts)), skipped: [] };
    expect(() => checkLimits(all)).toThrow(message);
    expect(() => checkLimits({ ...all, ...byKind(new Map(texts.slice(1))) })).not.toThrow();
  });

  it.each(['{', '[]', '{}', '{ "title": "" }', '{ "title": 5 }', 'null'])(
    'refuses the invalid manifest %j',
    async text => {
      writeFileSync(join(folder, 'manifest.json'), text);
      await expect(readSkriptFolder(folder)).rejects.toThrow('manifest.json');
    },
  );

  it.each(['input.json', 'inputSecret2.json'])(
    'refuses a %s that is not JSON, and does not quote its content',
    async name => {
      writeFileSync(join(folder, 'manifest.json'), '{ "title": "Books" }');
      writeFileSync(join(folder, name), '{ "pin": 1234');
      await expect(readSkriptFolder(folder)).rejects.toMatchObject({
        message: `${join(folder, name)} is not valid JSON.`,
        exitCode: 2,
      });
    },
  );

  it('lets a local run use an input file that is a symbolic link', async () => {
    writeFileSync(join(folder, 'values.json'), '1');
    symlinkSync('values.json', join(folder, 'input.json'));
    expect(await valuesFor(folder, {})).toEqual({ input: join(folder, 'input.json') });
  });

  it('does not skip files whose names only resemble private ones', () => {
    expect(['main.js', 'lib/dist/a.js', 'environment.js', 'git/x'].map(localPart)).toEqual([null, null, null, null]);
  });
});

describe('comparing a skript folder with the platform', () => {
  it('tells added, changed and extra files apart', () => {
    const source = new Map([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
    const target = new Map([
      ['b', '2'],
      ['c', '4'],
      ['d', '5'],
    ]);
    expect(compareTexts(source, target)).toEqual({ added: ['a'], changed: ['c'], extra: ['d'] });
  });

  it('treats differently formatted JSON of the same value as equal', () => {
    expect(isSameJson('{ "a": [1, 2], "b": 1 }', '{"b":1.0,"a":[1,2]}')).toBe(true);
    expect(isSameJson('{"a":1}', '{"a":"1"}')).toBe(false);
    expect(isSameJson('{', '{"a":1}')).toBe(false);
  });

  it('finds changed fields of a manifest, and fields that the platform does not know', () => {
    const remote = { title: 'Books', retries: 0, category: 'general', input_schema: { type: 'object' } };
    const local = { title: 'Books', retries: 2, input_schema: { type: 'object' }, howto: 'x', version: 1 };
    expect(compareFields(local, remote)).toEqual({ changed: { retries: 2 }, ignored: ['version'] });
  });
});

describe('sending changes to the platform', () => {
  /** Sends a change of main.js to a platform that answers 412, and then with this file. */
  async function send(there: string) {
    const calls: string[] = [];
    const trawl = new Trawl({
      url: 'http://trawl.test',
      key: 'trk_1',
      retryForMs: 0,
      fetch: async request => {
        calls.push(`${request.method} ${request.headers.get('if-match')}`);
        if (request.method === 'GET') return Response.json({ content: there, hash: hashOfText('main.js', there) });
        return Response.json({ error_code: 'precondition_failed', error_message: 'Changed.' }, { status: 412 });
      },
    });
    const skript = { id: 's1', files: [{ id: 'f1', name: 'main.js', size: 1 }] } as Skript;
    const folderHere = { manifest: { title: 'Books' }, inputs: new Map(), secrets: new Map(), skipped: [], folder };
    const local = { ...folderHere, files: new Map([['main.js', 'here']]) };
    const remote = { skript, manifest: { title: 'Books' }, files: new Map([['main.js', 'before']]), inputs: new Map() };
    const common = new Map<string, string>();
    const changes = compare(local, remote, [], false);
    const sent = sendChanges(trawl, local, remote, changes, { removes: false, force: false, common });
    await sent.finally(() => expect(calls[0]).toBe(`PUT "${hashOfText('main.js', 'before')}"`));
    return common;
  }

  it('deletes files and inputs before it adds others, so that a full skript can replace its files', async () => {
    const calls: string[] = [];
    const fetch = async ({ method, url }: Request) => {
      calls.push(`${method} ${new URL(url).pathname.split('/')[2]}`);
      return Response.json(url.includes('/list') ? { items: [{ id: 'i1', name: 'input1.json' }] } : {});
    };
    const trawl = new Trawl({ url: 'http://trawl.test', key: 'trk_1', fetch });
    const manifest = { title: 'Books' };
    const [here, there] = [
      { files: new Map([['new.js', '']]), inputs: new Map([['input2.json', '1']]) },
      { files: new Map([['old.js', '']]), inputs: new Map([['input1.json', '1']]) },
    ];
    const local = { folder, manifest, secrets: new Map(), skipped: [], ...here };
    const skript = { id: 's1', files: [{ id: 'f1', name: 'old.js', size: 1 }] } as Skript;
    const remote = { skript, manifest, ...there };
    const options = { removes: true, force: false, common: new Map() };
    await sendChanges(trawl, local, remote, compare(local, remote, [], false), options);
    expect(calls).toEqual(['DELETE skript-files', 'POST skript-files', 'GET inputs', 'DELETE inputs', 'POST inputs']);
  });

  it('fails with exit code 5 if somebody else changed the file meanwhile', async () => {
    await expect(send('theirs')).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('main.js') });
  });

  it('succeeds if the platform already has the new text, because the first answer was lost', async () => {
    expect(await send('here')).toEqual(new Map([['main.js', hashOfText('main.js', 'here')]]));
  });
});
