import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Namespace, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = join(__dirname, '../..');
const MODELS = {
  Deployment,
  Ingress,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ScaledObject,
  Service,
};

const read = (path: string) => readFileSync(join(__dirname, path), 'utf8');
const kustomization = parse(read('kustomization.yaml'));
const settings = Object.fromEntries(
  read('settings.env')
    .trim()
    .split('\n')
    .map(line => line.split('=', 2)),
);
const objects: any[] = [...kustomization.resources, 'autoscaling/scaled-object.yaml'].flatMap(file =>
  parseAllDocuments(read(file)).map(document => document.toJS()),
);
const find = (kind: string, name: string) =>
  objects.find(object => object.kind === kind && object.metadata.name === name);
const [backend, worker] = ['backend', 'worker'].map(name => find('Deployment', name).spec.template.spec);
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }).services;

/**
 * Wraps a value so that `unread` lists the paths of its fields that nobody has read. A model's validation reads every
 * field that the schema has, and ignores all others, for example misspelt ones.
 */
function watchReads(value: any, path = '', unread = new Set<string>()): { value: any; unread: Set<string> } {
  if (typeof value !== 'object' || value === null) return { value, unread };
  const children: any = Array.isArray(value) ? [] : {};
  for (const [name, child] of Object.entries(value)) {
    const childPath = `${path}/${name}`;
    unread.add(childPath);
    const watched = watchReads(child, childPath, unread).value;
    Object.defineProperty(children, name, {
      enumerable: true,
      get: () => {
        unread.delete(childPath);
        return watched;
      },
    });
  }
  return { value: children, unread };
}

test.each(objects.map(object => [object.kind as keyof typeof MODELS, object.metadata.name, object]))(
  '%s %s is valid',
  (kind, _, object) => {
    const { value, unread } = watchReads(object);
    expect(MODELS[kind].apiVersion).toBe(object.apiVersion);
    // `validate` of the prototype, because the constructor copies the fields, which reads all of them.
    expect(() => MODELS[kind].prototype.validate.call(value)).not.toThrow();
    expect([...unread]).toEqual([]);
  },
);

test('the kustomization names all files', () => {
  const files = readdirSync(__dirname).filter(name => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  expect([...kustomization.resources].sort()).toEqual(files.sort());
});

test('each setting exists', () => {
  const known = new Set(readFileSync(join(ROOT, '.env.example'), 'utf8').match(/^(# )?[A-Z_]+(?==)/gm));
  const names = [backend, worker].flatMap(({ containers }) => containers[0].env.map(({ name }: any) => name));
  const used = [...names, ...Object.keys(settings)].map(name => name.replace(/_FILE$/, ''));
  expect(used.filter(name => !known.has(name))).toEqual([]);
});

test.each([
  ['backend', backend],
  ['worker', worker],
])('the secrets of %s are the files that its settings name', (name, { containers }) => {
  const { files } = kustomization.secretGenerator.find((secret: any) => secret.name === name);
  const paths = containers[0].env.filter((env: any) => env.name.endsWith('_FILE')).map(({ value }: any) => value);
  expect(paths.map((path: string) => path.replace('/run/secrets/trawl/', 'secrets/')).sort()).toEqual(files.sort());
});

test.each([
  ['backend', backend],
  ['worker', worker],
])('%s has the rights and the memory of docker-compose.yml', (name, { containers }) => {
  const { cap_add, cap_drop, mem_limit, read_only, security_opt } = compose[name];
  const { securityContext, resources } = containers[0];
  const { capabilities, readOnlyRootFilesystem, allowPrivilegeEscalation } = securityContext;
  expect(capabilities).toEqual({ ...(cap_add && { add: cap_add }), drop: cap_drop });
  expect([readOnlyRootFilesystem, allowPrivilegeEscalation]).toEqual([read_only, false]);
  expect(security_opt).toContain('no-new-privileges:true');
  expect(resources.limits.memory).toBe(mem_limit.replace('g', 'Gi'));
});

test('workers can make namespaces', () => {
  const { procMount } = worker.containers[0].securityContext;
  expect(compose.worker.security_opt).toContain('systempaths=unconfined');
  expect([procMount, worker.hostUsers]).toEqual(['Unmasked', false]);
});

test('a backend gets more time to end than it drains', () => {
  const { value } = backend.containers[0].env.find(({ name }: any) => name === 'TRAWL_DRAIN_MS');
  const { periodSeconds, failureThreshold } = backend.containers[0].readinessProbe;
  expect(Number(value)).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
  expect(backend.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(value) / 1_000 + 20);
});

test('the ingress serves the public address', () => {
  const { hostname } = new URL(settings.TRAWL_PUBLIC_URL);
  const { rules, tls } = find('Ingress', 'trawl').spec;
  expect([rules[0].host, tls[0].hosts]).toEqual([hostname, [hostname]]);
});

test('the query of the autoscaler uses metrics and reasons that exist', () => {
  const { query } = find('ScaledObject', 'worker').spec.triggers[0].metadata;
  const documented = readFileSync(join(ROOT, 'website/docs/tech/monitoring.mdx'), 'utf8');
  for (const metric of query.match(/trawl_\w+/g)) expect(documented).toContain(`\`${metric}\``);
  const reasons = /reason=~"([^"]+)"/.exec(query)?.[1]?.split('|') ?? [];
  const contracts = readFileSync(join(ROOT, 'packages/contracts/src/executions.ts'), 'utf8');
  for (const reason of reasons) expect(contracts).toContain(`'${reason}'`);
});
