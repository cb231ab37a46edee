import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { ChromiumUpdates } from '../src/browser/chromium-updates.js';
import { fetchDebianChromium } from '../src/browser/debian-chromium.js';
import { findChromium } from '../src/browser/find-chromium.js';

const onDebian = process.platform === 'linux' ? describe : describe.skip;
const { PATH } = process.env;
let home: string;
let cache: string;
let lines: string;
const log = pino({ level: 'info' }, { write: line => (lines += line) });

/** Puts a shell script on the PATH that is run instead of this program. */
function standIn(program: string, script: string): void {
  const path = join(home, 'bin', program);
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> ${home}/calls\n${script}\n`);
  chmodSync(path, 0o755);
}

/** An archive with this version of Chromium. Its program prints its version, as the real one does. */
function archiveWith(version: string): void {
  writeFileSync(join(home, 'calls'), '');
  standIn(
    'apt-get',
    `case "$*" in
      *install*) echo "Inst libopus0 (1.3 Debian [amd64])"; echo "Conf libopus0";;
      *download*) for name in $*; do case $name in chromium*|lib*) touch $name.deb;; esac; done;;
    esac`,
  );
  standIn(
    'apt-cache',
    `printf 'chromium-headless-shell:\\n  Installed: (none)\\n  Candidate: ${version}-1~deb12u1\\n'`,
  );
  standIn(
    'dpkg',
    `mkdir -p root/usr/lib/chromium && cd root/usr/lib/chromium && touch "$(basename $2)"
    printf '#!/bin/sh\\necho Chromium ${version}\\n' > chromium-headless-shell && chmod 755 chromium-headless-shell`,
  );
}

const calls = (): string => readFileSync(join(home, 'calls'), 'utf8');
const versions = (): string[] => readdirSync(cache).map(name => name.split('-').at(-1) ?? '');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-chromium-'));
  cache = join(home, 'cache');
  lines = '';
  mkdirSync(join(home, 'bin'));
  process.env.PATH = `${join(home, 'bin')}:${PATH}`;
});

afterEach(() => {
  process.env.PATH = PATH;
  rmSync(home, { recursive: true });
});

onDebian("a Chromium of Debian's archive", () => {
  test('is downloaded with the libraries that the machine lacks, after an update of the package lists', async () => {
    archiveWith('998.0.1.2');
    expect(await fetchDebianChromium(cache)).toBe('998.0.1.2');
    expect(calls()).toMatch(
      /apt-get [^\n]*update\n[\s\S]* download chromium-headless-shell chromium-common .*libopus0\n/,
    );
    const { chromium, isOurs } = await findChromium(null, cache, log);
    // A machine with a current Chromium uses that one.
    if (isOurs) expect(chromium).toMatchObject({ version: '998.0.1.2', home: expect.stringContaining(cache) });
  });

  test('is downloaded once for each version, and the worker keeps the last two versions', async () => {
    for (const version of ['997.0.1.2', '998.0.1.2', '998.0.1.10']) {
      archiveWith(version);
      await fetchDebianChromium(cache);
    }
    expect(versions().sort()).toEqual(['998.0.1.10', '998.0.1.2']);
    archiveWith('998.0.1.10');
    await fetchDebianChromium(cache);
    expect(calls()).not.toContain('download');
  });

  test('is not replaced if another worker has downloaded the same version meanwhile', async () => {
    archiveWith('998.0.1.2');
    await fetchDebianChromium(cache);
    const folder = join(cache, readdirSync(cache)[0] as string);
    const theirs = join(home, 'theirs');
    renameSync(folder, theirs);
    writeFileSync(join(theirs, 'used'), '');
    const dpkg = readFileSync(join(home, 'bin', 'dpkg'), 'utf8');
    standIn('dpkg', `if [ -d ${theirs} ]; then mv ${theirs} ${folder}; fi\n${dpkg}`);
    await fetchDebianChromium(cache);
    expect(existsSync(join(folder, 'used'))).toBe(true);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test('is not used if it does not start or failed in a run; the version before is used', async () => {
    archiveWith('998.0.1.2');
    await fetchDebianChromium(cache);
    archiveWith('999.0.1.2');
    await fetchDebianChromium(cache);
    const { chromium: newest, isOurs } = await findChromium(null, cache, log);
    if (!isOurs) return;
    expect(newest?.version).toBe('999.0.1.2');
    const { chromium } = await findChromium(null, cache, log, newest?.executable);
    expect(chromium?.version).toBe('998.0.1.2');
    writeFileSync(String(newest?.executable), '#!/bin/sh\necho "error while loading shared libraries" >&2; exit 127');
    expect((await findChromium(null, cache, log)).chromium?.version).toBe('998.0.1.2');
  });

  test('is looked for once a week, and replaces an older Chromium when the worker is idle', async () => {
    archiveWith('998.0.1.2');
    let isIdle = false;
    const replaced = new Promise<void>(resolve => {
      const options = { cache, version: '156.0.1.2', isIdle: () => isIdle, onNewer: resolve, log };
      const updates = new ChromiumUpdates(options);
      void updates.look().then(() => {
        expect(lines).toContain('downloaded a newer Chromium');
        isIdle = true;
      });
    });
    await replaced;
    archiveWith('999.0.1.2');
    const again = { cache, version: '998.0.1.2', isIdle: () => true, onNewer: () => {}, log };
    await new ChromiumUpdates(again).look();
    expect(calls()).toBe('');
  });

  test('cannot be downloaded if apt fails: the worker logs the error once, and retries later', async () => {
    standIn('apt-get', 'echo "E: no network" >&2; exit 100');
    const onNewer = jest.fn();
    const updates = new ChromiumUpdates({ cache, version: null, isIdle: () => true, onNewer, log });
    await updates.look();
    await updates.look();
    expect(lines.match(/E: no network/g)).toHaveLength(1);
    expect(calls().match(/update/g)).toHaveLength(2);
    expect(onNewer).not.toHaveBeenCalled();
    expect(existsSync(join(cache, 'debian-chromium-looked'))).toBe(false);
  });
});
