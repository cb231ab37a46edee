import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { startTrawl } from '../../../e2e/harness/trawl-process.js';

const ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const DAY_MS = 86_400_000;

/** A platform that has one event, whose signature is wrong, and deletes only webhooks that other programs have left. */
let server: Server;
let created: string[];
let deleted: string[];

beforeEach(async () => {
  created = [];
  deleted = [];
  const webhook = (id: string, name: string, age: number) => ({
    id,
    name,
    url: 'trawl:log',
    created_at: new Date(Date.now() - age).toISOString(),
  });
  const prefix = `trawl listen on ${hostname()}`;
  const webhooks = [
    webhook('old', `${prefix} 0123abcd`, DAY_MS + 60_000),
    webhook('new', `${prefix} 4567abcd`, DAY_MS - 60_000),
    webhook('other', `${prefix}-2 0123abcd`, DAY_MS + 60_000),
  ];
  const delivery = { id: 'd', webhook_id: ID, event: 'test', payload: { timestamp: '2026-01-01T00:00:00Z' } };
  server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const answer = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'DELETE') {
      const id = path.split('/').at(-1) as string;
      deleted.push(id);
      return id === ID ? answer({ error_code: 'forbidden', error_message: 'Not now.' }, 403) : answer({});
    }
    if (path.endsWith('/addnew')) {
      const { name } = JSON.parse(await text(request));
      created.push(name);
      return answer({ ...webhook(ID, name, 0), secret: 'whsec_c2VjcmV0' });
    }
    if (path.endsWith('/deliveries/list')) return answer({ items: [delivery] });
    if (path.endsWith('/request')) return answer({ headers: {}, body: '{}' });
    return answer({ items: webhooks });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(done => {
  server.close(done);
  server.closeAllConnections();
});

it('`trawl webhooks listen` ends on Ctrl-C with 130, and names wrong signatures and a webhook that it cannot delete', async () => {
  const env = { TRAWL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_KEY: 'trk_1' };
  const child = startTrawl(['webhooks', 'listen'], { cwd: tmpdir(), env });
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  const [name] = created;
  expect(name).toMatch(/ [0-9a-f]{8}$/);
  expect([code, (await stderr).split('\n').slice(1, -1)]).toEqual([
    130,
    [
      'Warning: At least one signature was wrong.',
      `Warning: The webhook ${name} is still there: Not now. Delete it with: trawl webhooks rm "${name}"`,
      'Cancelled.',
    ],
  ]);
  expect(deleted).toEqual(['old', ID]);
});
