import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Service {
  environment?: Record<string, string>;
  secrets?: string[];
}

const ROOT = join(__dirname, '..');
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
const services = compose.services as Record<string, Service>;

test.each(['backend', 'worker'])('each setting of the service %s exists', name => {
  const known = new Set(readFileSync(join(ROOT, '.env.example'), 'utf8').match(/^(# )?[A-Z_]+(?==)/gm));
  const settings = Object.keys(services[name]?.environment ?? {}).map(setting => setting.replace(/_FILE$/, ''));
  // Node.js reads this one.
  expect(settings.filter(setting => !known.has(setting) && setting !== 'NODE_EXTRA_CA_CERTS')).toEqual([]);
});

test.each(['backend', 'user-postgres', 'worker'])('the service %s, which accounts reach, has all limits', name => {
  expect(services[name]).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: expect.arrayContaining(['no-new-privileges:true']),
    mem_limit: expect.any(String),
    pids_limit: expect.any(Number),
  });
});

test('images are built from all tracked files, and from no settings of the operator', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  // The patterns mean the same in both files.
  expect(git('ls-files', '-ci', '--exclude-from=.dockerignore')).toBe('');
  const settings = ['.env', '.env.production', 'deploy/secrets/trawl-secret', 'docker-compose.override.yml'];
  expect(
    git('check-ignore', ...settings)
      .trim()
      .split('\n'),
  ).toEqual(settings);
  const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const expected = ['**/.env', '**/.env.*', 'deploy/secrets', 'docker-compose.override.yml'];
  expect(patterns).toEqual(expect.arrayContaining(expected));
  expect(patterns).not.toContain('.source-files');
});

test('what runs have sent survives a crash of the worker', () => {
  expect(compose.services.worker.tmpfs.filter((mount: string) => mount.startsWith('/data'))).toEqual([]);
  expect(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')).toMatch(
    /AS worker\n[\s\S]*?\nVOLUME \/data\nCMD \["node", "worker/,
  );
});

/** Returns the settings of PostgreSQL in a text, such as `name=value`, sorted. */
const settingsIn = (text = ''): string[] => text.match(/\b[a-z]+(?:_[a-z]+)+=\d+[a-zA-Z]*/g)?.sort() ?? [];

test('the documents demand the same limits of a PostgreSQL that all accounts share', () => {
  const part = (file: string, pattern: RegExp) => pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[0];
  const page = 'website/docs/tech/platform-architecture.mdx';
  const expected = settingsIn(part(page, /In `USER_POSTGRES_URL`, you then need [\s\S]*?cannot refuse/));
  expect(expected.length).toBeGreaterThan(4);
  expect(settingsIn(part('.env.example', /# USER_POSTGRES_URL is [\s\S]*?# USER_POSTGRES_URL=/))).toEqual(expected);
});

test('secrets.sh makes each secret, once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-secrets-'));
  try {
    cpSync(join(__dirname, 'secrets.sh'), join(folder, 'secrets.sh'));
    const make = () => execFileSync('sh', [join(folder, 'secrets.sh')], { encoding: 'utf8' });
    const read = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
    expect(make()).not.toContain('postgresql://');
    const used = Object.values(services).flatMap(({ secrets = [] }) => secrets);
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual([...new Set(used)].sort());
    const secret = read('trawl-secret');
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(new URL(read('postgres-url')).password).toBe(read('postgres-password'));
    expect(JSON.parse(read('first-accounts'))).toMatchObject([{ role: 'admin' }]);
    make();
    expect(read('trawl-secret')).toBe(secret);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
