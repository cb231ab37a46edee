import { load } from 'cheerio/slim';
import { useRuntime } from '../harness/child.js';
import { Platform } from '../harness/platform.js';
import { WITH_BROWSER } from '../harness/worker-process.js';
import { attackBySql } from '../hostile-sql/hostile-sql.js';
import { Containers, missingForContainers } from './containers.js';

/** Building the images takes six minutes on two quiet cores, and half an hour on busy ones. */
const BUILD_MS = 3_600_000;

const missing = missingForContainers();
const describeIfPossible = missing ? describe.skip : describe;
if (missing) process.stderr.write(`The platform is not tested in containers: ${missing}.\n`);

describeIfPossible('in containers with the rights of docker-compose.yml', () => {
  let containers: Containers;

  beforeAll(async () => {
    containers = new Containers();
    const images = process.env.TRAWL_TEST_BUILT_IMAGES === '1' ? [] : ['user-postgres', 'backend', 'worker'];
    for (const image of images) await containers.build(image);
    useRuntime(containers);
    await containers.startDatabases();
  }, BUILD_MS);
  afterAll(() => containers?.close(), BUILD_MS);

  describe('a platform', () => {
    let platform: Platform;
    beforeAll(async () => {
      platform = await Platform.start({
        backendEnv: {
          TRAWL_PUBLIC_URL: 'https://trawl.example.com',
          SITE_OPERATOR: 'Morrow Data Ltd, 4 Quay Lane, Harbourton',
        },
        workerEnv: WITH_BROWSER,
      });
    });
    afterAll(() => platform?.close());

    it('offers a browser, and runs a skript in the full sandbox that queries the users’ PostgreSQL server', async () => {
      const admin = await platform.as('admin');
      const { body: worker } = await admin('GET', `/joint-api/workers/${platform.workerId}`);
      expect([worker.sandbox, worker.environments]).toEqual(['full', expect.arrayContaining(['nodejs', 'browser'])]);
      const files = {
        'main.js': `const { echo } = require('@trawl/echo');
const { postgres } = require('@trawl/storage');
module.exports = async ({ name }) => {
  echo.log('hello ' + name);
  const { rows } = await postgres.query('SELECT $1::int + 1 AS n', [41]);
  return { n: rows[0].n, node: process.versions.node.split('.')[0] };
};`,
      };
      const run = await platform.ended(
        await platform.begin(await platform.skript('In a container', files), { name: 'Ada' }),
      );
      expect(run).toMatchObject({ action: 'end', error_code: null, output: { n: 42, node: '24' } });
      expect((await platform.echoes(run.id)).map(({ msg }) => msg)).toEqual(['hello Ada']);
    }, 600_000);

    it('serves a website with the operator and URL from the settings of its container', async () => {
      const $ = load(await (await fetch(`${platform.url}/legal/privacy-policy`)).text());
      expect($('footer [data-operator]').text()).toBe('Operated by Morrow Data Ltd, 4 Quay Lane, Harbourton');
      expect($('link[rel=canonical]').attr('href')).toBe('https://trawl.example.com/legal/privacy-policy');
    });

    it('ends its worker and its backend with exit code 0 on SIGTERM', async () => {
      await platform.worker.kill('SIGTERM');
      await platform.backend.kill('SIGTERM');
      for (const end of [platform.worker.end, platform.backend.end]) expect(end).toContain('ended with exit code 0');
    });
  });

  describe('neighbours', () => void require('../neighbours/neighbours.e2e.test.js'));
  describe('hostile SQL', () => attackBySql(() => containers.userPostgres));
  describe('chaos', () => void require('../chaos/chaos.e2e.test.js'));
});
