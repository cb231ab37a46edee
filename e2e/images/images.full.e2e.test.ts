import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { load } from 'cheerio/slim';
import { parse } from 'yaml';
import { needed } from '../harness/needed.js';
import { onServer } from '../harness/platform.js';
import { PlatformClient } from '../harness/platform-client.js';
import { freePort } from '../harness/ports.js';
import { until } from '../harness/until.js';
import { Containers, missingForContainers } from './containers.js';

/** Building both images takes six minutes on two quiet cores, and half an hour on busy ones. Removing them is slow too. */
const BUILD_MS = 3_600_000;
const START_MS = 180_000;

interface Service {
  cap_drop?: string[];
  cap_add?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  security_opt?: string[];
}

const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};

/** Returns the options of podman for the rights that docker-compose.yml gives a service. */
function rightsOf(service: string): string[] {
  const { cap_drop = [], cap_add = [], read_only, tmpfs = [], security_opt = [] } = services[service] as Service;
  return [
    ...cap_drop.map(name => `--cap-drop=${name}`),
    ...cap_add.map(name => `--cap-add=${name}`),
    ...tmpfs.map(mount => `--tmpfs=${mount}`),
    ...security_opt.map(option => `--security-opt=${PODMAN_NAMES[option] ?? option}`),
    `--read-only=${read_only === true}`,
  ];
}

const PODMAN_NAMES: Record<string, string> = {
  'no-new-privileges:true': 'no-new-privileges',
  'systempaths=unconfined': 'unmask=ALL',
};

const missing = missingForContainers();
const describeIfPossible = missing ? describe.skip : describe;
if (missing) process.stderr.write(`The images are not tested: ${missing}.\n`);

describeIfPossible('the images', () => {
  const platform = new PlatformClient();
  const database = `trawl_images_${Date.now().toString(36)}`;
  let containers: Containers;
  /** The MongoDB of the tests may listen on a socket file, which the container does not have. */
  const mongo = createServer(socket => {
    const { hostname: host, port } = new URL(needed('TRAWL_TEST_MONGODB_URI'));
    const onward = connect(host.includes('%') ? { path: decodeURIComponent(host) } : { host, port: Number(port) });
    pipeline(socket, onward, socket, () => {}); // either side may cut the connection
  });

  beforeAll(async () => {
    containers = new Containers();
    await containers.build('backend');
    await containers.build('worker');
    await startBackend();
  }, BUILD_MS);
  afterAll(async () => {
    await containers?.close();
    mongo.close();
    await onServer(needed('TRAWL_TEST_POSTGRES_URL'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  }, BUILD_MS);

  async function startBackend(): Promise<void> {
    const server = needed('TRAWL_TEST_POSTGRES_URL');
    await onServer(server, `CREATE DATABASE ${database}`);
    mongo.listen(0, '127.0.0.1');
    await once(mongo, 'listening');
    const port = await freePort();
    platform.url = `http://127.0.0.1:${port}`;
    platform.dataDir = join(containers.folder, 'data');
    mkdirSync(platform.dataDir);
    chownSync(platform.dataDir, 1000, 1000);
    await containers.start('backend', [...rightsOf('backend'), `--volume=${platform.dataDir}:/data`], {
      HOST: '127.0.0.1',
      PORT: String(port),
      POSTGRES_URL: Object.assign(new URL(server), { pathname: `/${database}` }).toString(),
      USER_POSTGRES_URL: server,
      MONGODB_URI: `mongodb://127.0.0.1:${(mongo.address() as AddressInfo).port}/?directConnection=true`,
      TRAWL_PUBLIC_URL: 'https://trawl.example.com',
      SITE_OPERATOR: 'Morrow Data Ltd, 4 Quay Lane, Harbourton',
    });
    const isReady = async () => (await fetch(`${platform.url}/health/ready`).catch(() => null))?.ok;
    await until(isReady, 'the backend to be ready', START_MS, () => containers.log('backend'));
  }

  it('a skript runs on the worker of the image, in the full sandbox and with a browser', async () => {
    const admin = await platform.as('admin');
    const { body: group } = await admin('POST', '/joint-api/worker-groups/addnew', { name: 'images', public: true });
    const keyFile = join(containers.folder, 'worker-key');
    writeFileSync(keyFile, `${group.key}\n`);
    await containers.start('worker', [...rightsOf('worker'), `--volume=${keyFile}:/run/secrets/worker-key:ro`], {
      TRAWL_URL: platform.url,
      TRAWL_WORKER_KEY_FILE: '/run/secrets/worker-key',
    });
    const worker = await until(
      async () =>
        (await admin('GET', `/apps/workers/list?group_id=${group.id}`)).body.items.find(
          (item: any) => item.status === 'online',
        ),
      'the worker to be online',
      START_MS,
      () => containers.log('worker'),
    );
    expect([worker.sandbox, worker.environments]).toEqual(['full', expect.arrayContaining(['nodejs', 'browser'])]);
    platform.workerId = worker.id;

    const files = {
      'main.js': `const { echo } = require('@trawl/echo');
module.exports = async ({ name }) => echo.log('hello ' + name);`,
    };
    const run = await platform.ended(
      await platform.begin(await platform.skript('In a container', files), { name: 'Ada' }),
    );
    expect(run).toMatchObject({ action: 'end', error_code: null });
    expect((await platform.echoes(run.id)).map(({ msg }) => msg)).toEqual(['hello Ada']);
  }, 600_000);

  it('the website has the settings with which the container was started', async () => {
    const $ = load(await (await fetch(`${platform.url}/legal/privacy-policy`)).text());
    expect($('footer [data-operator]').text()).toBe('Operated by Morrow Data Ltd, 4 Quay Lane, Harbourton');
    expect($('link[rel=canonical]').attr('href')).toBe('https://trawl.example.com/legal/privacy-policy');
  });

  it(
    'SIGTERM ends worker and backend by themselves',
    async () => {
      expect(await containers.stop('worker')).toBe(0);
      expect(await containers.stop('backend')).toBe(0);
    },
    START_MS,
  );
});
