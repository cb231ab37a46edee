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
