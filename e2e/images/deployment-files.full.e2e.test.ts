import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';
import { parse, parseAllDocuments } from 'yaml';
import { newerRelease, sourceOf } from '../../packages/embedded/src/debian/newer-release.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const run = promisify(execFile);
const release = process.platform === 'linux' ? newerRelease() : undefined;
const testOnDebian = release ? test : test.skip;
const KUBERNETES = 'deploy/kubernetes';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder('trawl-deployment-files-');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Downloads a package and returns the path of a program in it. Programs written in Go need no other package. */
async function programOf(name: string, path: string): Promise<string> {
  if (!release) throw new Error('Only Debian and Ubuntu have these packages.');
  const unpacked = join(folder, name);
  const packages = [`${name}/${release.suite}`];
  await fetchDebianPackages({ folder: unpacked, packages, source: await sourceOf(release) });
  return join(unpacked, path);
}

testOnDebian('Docker Compose accepts docker-compose.yml and the override that the documentation shows', async () => {
  const compose = await programOf('docker-compose', 'usr/libexec/docker/cli-plugins/docker-compose');
  const project = join(folder, 'compose');
  mkdirSync(join(project, 'deploy'), { recursive: true });
  cpSync('docker-compose.yml', join(project, 'docker-compose.yml'));
  cpSync('deploy/secrets.sh', join(project, 'deploy/secrets.sh'));
  await run('sh', [join(project, 'deploy/secrets.sh')]);
  // The file of other settings, as the documentation shows it.
  const [, other] =
    /```yaml\n(services:.*?)```/s.exec(readFileSync('website/docs/tech/docker-compose.mdx', 'utf8')) ?? [];
  writeFileSync(join(project, 'docker-compose.override.yml'), String(other));
  const { stdout } = await run(compose, ['--profile=workers', 'config'], {
    cwd: project,
    env: { ...process.env, TRAWL_HOST: 'trawl.example.com' },
  });
  const { services } = parse(stdout);
  expect(Object.keys(services).sort()).toEqual(
    ['backend', 'caddy', 'mongo', 'postgres', 'redis', 'user-postgres', 'worker'].sort(),
  );
  expect(services.backend.environment).toMatchObject({
    TRAWL_PUBLIC_URL: 'https://trawl.example.com',
    TRAWL_HISTORY_DAYS: '30',
  });
});

testOnDebian.each([
  ['without autoscaling', false],
  ['with autoscaling', true],
])('kubectl renders the kustomization %s', async (_, isAutoscaled) => {
  const kubectl = join(folder, 'kubectl/usr/bin/kubectl');
  if (!existsSync(kubectl)) await programOf('kubectl', 'usr/bin/kubectl');
  const copy = join(folder, `kubernetes-${isAutoscaled}`);
  cpSync(KUBERNETES, copy, { recursive: true });
  const file = join(copy, 'kustomization.yaml');
  const text = readFileSync(file, 'utf8');
  const kustomization = parse(text);
  mkdirSync(join(copy, 'secrets'), { recursive: true });
  for (const { files } of kustomization.secretGenerator) {
    for (const path of files) writeFileSync(join(copy, path), 'secret\n');
  }
  if (isAutoscaled) writeFileSync(file, text.replace('# components:\n#   -', 'components:\n  -'));
  const { stdout } = await run(kubectl, ['kustomize', copy], { maxBuffer: 16 * 1024 * 1024 });
  const objects = parseAllDocuments(stdout).map(document => document.toJS());
  expect(objects.filter(({ kind }) => kind === 'ScaledObject')).toHaveLength(isAutoscaled ? 1 : 0);
  const worker = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'worker');
  expect(worker.spec.replicas).toBe(isAutoscaled ? undefined : 2);
  const [{ image, env }] = worker.spec.template.spec.containers;
  expect(image).toBe('registry.example.com/trawl-worker:latest');
  const settings = objects.find(({ kind }) => kind === 'ConfigMap').metadata.name;
  expect(env[0].valueFrom.configMapKeyRef.name).toBe(settings);
});
