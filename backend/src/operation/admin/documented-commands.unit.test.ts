/** Checks each command in the pages of the documentation for operators: runs it, or compares it with what it names. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createProgram } from './program.js';

const ROOT = join(__dirname, '../../../..');
const PAGES = [
  'workers',
  'several-backends',
  'monitoring',
  'docker-compose',
  'kubernetes',
  'operator-commands',
  'backups',
  'rotating-the-secret',
  'upgrade',
  'sizing',
  'comparison',
];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });
const { scripts } = JSON.parse(read('package.json'));
const kustomization = parse(read('deploy/kubernetes/kustomization.yaml'));
const settings = new Set([...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
const targets = [...read('deploy/Dockerfile').matchAll(/ AS (\w[\w-]*)$/gm)].map(([, name]) => name);

const blocks = PAGES.flatMap(page =>
  [...read(`website/docs/tech/${page}.mdx`).matchAll(/^( *)```bash.*\n([^`]*?)^ *```/gm)].map(([, indent, code]) => ({
    page,
    code: (code ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  })),
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-commands-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const runHere = (code: string) => execFileSync('sh', ['-ec', code], { cwd: folder, encoding: 'utf8' });

/** Runs `trawl-admin … --help`, which fails if the command does not exist, and looks for the options. */
async function checkAdmin(args: string): Promise<void> {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const words = args.trim().split(/\s+/);
  const [name = ''] = words;
  const help = await createProgram()
    .parse([name, '--help'])
    .catch(({ code }) => {
      expect([args, code]).toEqual([args, 'commander.helpDisplayed']);
      return written.mock.calls.join('');
    })
    .finally(() => written.mockRestore());
  for (const option of words.filter(word => word.startsWith('--')))
    expect(help).toMatch(new RegExp(`${option}(?![\\w-])`));
  expect(help).toContain(`trawl-admin ${name}`);
}

const checkService = (name = '') => expect(Object.keys(compose.services)).toContain(name);

/** Each check handles the commands that match its pattern, and gets the groups. The first match counts. */
const CHECKS: [RegExp, (...groups: string[]) => unknown][] = [
  [/^(?:printf .* \| )?npm run admin (?:--silent )?-- (.+)$/, args => checkAdmin(args)],
  [
    /^docker compose exec (\S+) trawl-admin (.+)$/,
    (service, args) => {
      checkService(service);
      return checkAdmin(args);
    },
  ],
  [
    /^docker compose run --rm (\S+) trawl-admin (.+)$/,
    (service, args) => {
      checkService(service);
      return checkAdmin(args);
    },
  ],
  [
    /^docker compose run --rm -T (?:--no-deps )?(\S+) sh -c '([^']+)' < \S+$/,
    (service, script) => {
      checkService(service);
      return execFileSync('sh', ['-n', '-c', String(script)]);
    },
  ],
  [
    /^docker compose (?:exec|run --rm) (?:-T )?(?:--no-deps )?(\S+) (rm \/data\/|tar -c -C \/data \. > )/,
    service => checkService(service),
  ],
  [/^docker compose (?:stop|start) ([\w -]+)$/, services => services?.split(' ').forEach(checkService)],
  [/^docker compose (build)$/, () => expect(compose.services.backend).toHaveProperty('build')],
  [/^docker compose cp (\w+):\/data\/\S+\.zip \.$/, service => checkService(service)],
  [
    /^docker compose (?:--profile (\w+) )?up -d(?: --build)?(?: --scale (\w+)=\d)?$/,
    (profile, service) => {
      const profiles = Object.values<any>(compose.services).flatMap(({ profiles: names = [] }) => names);
      if (profile) expect(profiles).toContain(profile);
      if (service) checkService(service);
    },
  ],
  [
    /^docker build -f (\S+) --target (\S+) -t (\S+) \.$/,
    (file, target, image) => {
      expect(existsSync(join(ROOT, file))).toBe(true);
      expect(targets).toContain(target);
      expect(kustomization.images.map(({ newName }: any) => newName)).toContain(image);
    },
  ],
  [/^docker push (\S+)$/, image => expect(kustomization.images.map(({ newName }: any) => newName)).toContain(image)],
  [/^kubectl apply -k (\S+)$/, path => expect(existsSync(join(ROOT, path, 'kustomization.yaml'))).toBe(true)],
  // deploy/compose.unit.test.ts runs it.
  [/^sh (deploy\/secrets\.sh)$/, file => expect(existsSync(join(ROOT, file))).toBe(true)],
  [/^npm (start)$/, name => expect(scripts).toHaveProperty(name)],
  [/^npm run bench -- (\w+)$/, name => expect(existsSync(join(ROOT, 'bench', name, 'bench.mjs'))).toBe(true)],
  [/^git pull$/, () => {}],
  // source-archive.integration.test.ts uses such a list.
  [/^git ls-tree -rz HEAD > (\.source-files)$/, name => expect(read('.gitignore')).toContain(name)],
  // The tunnel leads to the port of the backend.
  [/^ssh -N -L (\d+):127\.0\.0\.1:\1 \S+$/, port => expect(read('.env.example')).toMatch(`PORT=${port}`)],
  [/^((?:[A-Z_]+=\S+ )+)(?:\\\n\s+)?node worker\/(?:dist\/main\.js)(?: &)?$/, checkSettings],
  [/^for n in [\d ]+; do\n([^;]+)\ndone$/, body => check(body.trim())],
  [/^((?:OTEL_\w+=\S+\n?)+)$/, values => expect(values).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT=/)],
  [
    /^curl 127\.0\.0\.1:9100(\/metrics)$/,
    path => expect(read('backend/src/operation/metrics/metrics-server.service.ts')).toContain(path),
  ],
  [
    /^curl -H "Authorization: Bearer \$(\w+)".*\\\n.* "\$WORKER_ADDRESS(\/\S+)"$/,
    (key, path) => {
      expect(settings).toContain(key);
      expect(read('worker/src/calls/call-server.ts')).toContain(`'${path}'`);
    },
  ],
];

function checkSettings(assignments: string): void {
  for (const [, name] of assignments.matchAll(/([A-Z_]+)=/g)) expect(settings).toContain(name);
}

function check(command: string): unknown {
  for (const [pattern, run] of CHECKS) {
    const [, ...groups] = pattern.exec(command) ?? [];
    if (pattern.test(command)) return run(...groups);
  }
  throw new Error(`No check is written for this command of the documentation: ${command}`);
}

const isOneCommand = (code: string) => /^(for|OTEL_)|\\\n/.test(code);

test('the documentation for operators has more than 15 blocks of commands', () => {
  expect(blocks.length).toBeGreaterThan(15);
});

test.each(blocks.filter(({ code }) => !/^(mkdir|grep)/.test(code)))(
  'the commands on the documentation page $page work: $code',
  async ({ code }) => {
    for (const command of isOneCommand(code) ? [code] : code.split('\n')) await check(command);
  },
);

test('the commands on the Kubernetes page write each secret that the kustomization reads', () => {
  const { code } = blocks.find(
    block => block.page === 'kubernetes' && block.code.startsWith('mkdir'),
  ) as (typeof blocks)[0];
  mkdirSync(join(folder, 'deploy/kubernetes'), { recursive: true });
  runHere(code);
  const secrets = join(folder, 'deploy/kubernetes/secrets');
  const needed = kustomization.secretGenerator.flatMap(({ files }: any) => files);
  expect(
    readdirSync(secrets)
      .map(name => `secrets/${name}`)
      .sort(),
  ).toEqual(needed.sort());
  const value = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
  expect(JSON.parse(value('first-accounts'))).toMatchObject([{ role: 'admin' }]);
  expect(value('trawl-secret').length).toBeGreaterThanOrEqual(32);
  for (const name of ['postgres-url', 'user-postgres-url', 'mongodb-uri', 'redis-url'])
    expect(() => new URL(value(name))).not.toThrow();
});

test('the commands on the monitoring page find the log lines of a call and of a run', () => {
  const { code } = blocks.find(block => block.code.startsWith('grep')) as (typeof blocks)[0];
  const [request, execution] = [...code.matchAll(/[\da-f]{8}-[\da-f-]{27}/g)].map(([id]) => id);
  mkdirSync(join(folder, '.trawl/logs'), { recursive: true });
  const lines = [{ request_id: request }, { execution }, { execution: 'another' }];
  writeFileSync(join(folder, '.trawl/logs/backend.log'), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(join(folder, '.trawl/logs/worker.log'), `${JSON.stringify({ execution })}\n`);
  const found = runHere(code)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(found).toEqual([{ request_id: request }, { execution }, { execution }]);
});
