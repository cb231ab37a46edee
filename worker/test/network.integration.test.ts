import { execFile, execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { AllowList, parseAllowed } from '../src/egress/allow-list.js';
import { NamespaceEgress } from '../src/egress/namespaces/namespace-egress.js';
import { findTool } from '../src/executor/tools.js';
import { UserBlock } from '../src/process/user-block.js';
import { connectedWorker } from './connected-worker.js';
import { processesNaming } from './left-processes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { until } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

const isRoot = process.getuid?.() === 0;
const log = pino({ level: 'silent' });
const execute = promisify(execFile);
const REFUSED = /^E(HOSTUNREACH|NETUNREACH|CONNREFUSED|ACCES)$/;

/** Returns what identifies a namespace, because another worker can create one with the same name; null if it is gone. */
const idOf = (namespace: string): number | null =>
  statSync(`/run/netns/${namespace}`, { throwIfNoEntry: false })?.ino ?? null;

/** Code that connects to each target, one after the other, and gives `connected` or the error code for each. */
const ATTEMPTS = `
  const { connect } = require('node:net');
  const attempt = ({ host, port }) => new Promise(resolve => {
    const socket = connect(port, host, () => { socket.destroy(); resolve('connected'); });
    socket.on('error', error => resolve(error.code));
  });`;

(isRoot ? describe : describe.skip)('the network of a run', () => {
  const { platform, worker } = connectedWorker();

  /** Programs of each run in the test below that listen on many ports. In the full test, both runs together have 22,000. */
  const programs = isFullTest ? 6 : 1;
  const portsOfProgram = isFullTest ? 1_750 : 10;

  /** Starts a run that echoes `ready` when it has opened its sockets, and returns when it is stopped. */
  async function startWithSockets(port: number) {
    const id = await platform.start(`
      const { spawn } = require('node:child_process');
      const LISTEN = "const [first, count] = process.argv.slice(1).map(Number); let left = count; for (let n = 0; n < count; n += 1) require('node:net').createServer().listen(first + n, () => { left -= 1; if (left === 0) console.log('listening'); });";
      const { createServer } = require('node:net');
      const { createSocket } = require('node:dgram');
      const { readFileSync } = require('node:fs');
      module.exports = async () => {
        const got = [];
        const datagrams = createSocket('udp4').on('message', bytes => got.push(String(bytes)));
        await new Promise(resolve => datagrams.bind(${port}, '0.0.0.0', resolve));
        const servers = await Promise.all(Array.from({ length: 500 }, (_, n) => new Promise((resolve, reject) => {
          const server = createServer(() => got.push('a connection')).once('error', reject).listen(${port} + n, () => resolve(server));
        })));
        await Promise.all(Array.from({ length: ${programs} }, (_, n) => new Promise((resolve, reject) => {
          const args = ['-e', LISTEN, String(2_000 + n * ${portsOfProgram}), '${portsOfProgram}'];
          const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
          program.once('exit', reject).stdout.once('data', resolve);
        })));
        const lines = ['tcp', 'tcp6', 'udp', 'udp6', 'unix', 'raw'].map(name => [name, readFileSync('/proc/net/' + name, 'utf8').trim().split('\\n').length - 1]);
        await new Promise(resolve => { global.trawl.eventEmitter.on('ff-stop', resolve); console.log('ready'); });
        return { got, lines: Object.fromEntries(lines), addresses: Object.values(require('node:os').networkInterfaces()).flat().map(({ address }) => address) };
      };`);
    await until(
      () => platform.read(id, 1, 5),
      echoes => echoes.some(({ msg }) => msg === 'ready'),
    );
    return id;
  }

  test('has its own ports, its own list of sockets and its own loopback', async () => {
    const own = createServer().listen(0, '0.0.0.0');
    await once(own, 'listening');
    const { port: taken } = own.address() as AddressInfo;
    const first = Math.min(taken, 60_000);
    const ids = [await startWithSockets(first), await startWithSockets(first)];
    const sender = createSocket('udp4');
    const destinations = ['127.0.0.1', '127.255.255.255', '198.18.0.16', '198.18.0.17'];
    await platform.run(`
      const socket = require('node:dgram').createSocket('udp4').on('error', () => {});
      module.exports = async () => {
        await new Promise(resolve => socket.bind(0, resolve));
        socket.setBroadcast(true);
        for (const host of ${JSON.stringify([...destinations, '255.255.255.255'])}) await new Promise(resolve => socket.send('from a run', ${first}, host, resolve));
        socket.close();
      };`);
    for (const host of ['127.0.0.1', '127.255.255.255']) {
      await new Promise<unknown>(resolve => sender.send('from the machine', first, host, resolve));
    }
    sender.close();
    const client = connect(taken, '127.0.0.1');
    await once(client, 'connect');
    client.destroy();
    for (const id of ids) await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    const outputs = await Promise.all(ids.map(async id => JSON.parse((await platform.ended(id)).output ?? 'null')));
    for (const { got, lines } of outputs) {
      expect(got).toEqual([]);
      expect(lines).toMatchObject({ tcp: 0, tcp6: 500 + programs * portsOfProgram, udp: 1, udp6: 0, raw: 0 });
      expect(lines.unix).toBeLessThan(20);
    }
    expect(outputs[0].addresses).not.toEqual(outputs[1].addresses);
    own.close();
  });

  test('reaches no other run, no router and no service of the machine', async () => {
    const service = createServer(connection => connection.destroy()).listen(0, '::');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const id = await startWithSockets(20_000);
    const own = Object.values(networkInterfaces()).flatMap(list => list?.map(({ address }) => address) ?? []);
    const start = `198.18.${4 * Number(nameOfWorker(worker().pid).replace('trawl', ''))}`;
    const slots = Array.from({ length: 20 }, (_, n) => ({ host: `${start}.${16 + n}`, port: 20_000 }));
    const hosts = [...own, `${start}.1`, `${start}.2`].map(host => ({ host, port }));
    const finish = await platform.run(`${ATTEMPTS}
      module.exports = async () => {
        const { networkInterfaces } = require('node:os');
        const own = Object.values(networkInterfaces()).flat().map(({ address }) => address);
        const targets = ${JSON.stringify([...slots, ...hosts])}.filter(({ host }) => !own.includes(host));
        return Promise.all(targets.map(async target => [target.host, await attempt(target)]));
      };`);
    expect(finish.error_stack).toBeNull();
    const ends: [string, string][] = JSON.parse(finish.output ?? 'null');
    expect(ends.length).toBeGreaterThan(20);
    for (const [host, end] of ends) expect([host, end]).toEqual([host, expect.stringMatching(/^E/)]);
    await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    expect(JSON.parse((await platform.ended(id)).output ?? 'null').got).toEqual([]);
    service.close();
  });
});

(isRoot ? describe : describe.skip)('the network namespaces of runs', () => {
  let folder: string;
  let users: UserBlock;
  const egresses: NamespaceEgress[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawl-network-'));
    users = (await UserBlock.claim(folder)) as UserBlock;
  });
  afterEach(async () => {
    for (const egress of egresses.splice(0)) await egress.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function opened(allowed = '', resolvers = '10.0.0.2'): Promise<NamespaceEgress> {
    const resolvConf = join(folder, 'resolv.conf');
    await writeFile(resolvConf, `nameserver ${resolvers}\n`);
    const [ip, nft, nsenter] = await Promise.all(['ip', 'nft', 'nsenter'].map(name => findTool(name as 'ip', log)));
    const egress = new NamespaceEgress({
      tools: { ip, nft, nsenter } as ConstructorParameters<typeof NamespaceEgress>[0]['tools'],
      users,
      allowList: new AllowList(parseAllowed(allowed), () => {}),
      resolvConf,
      relayScript: pathToFileURL(join(__dirname, '..', 'dist', 'egress', 'namespaces', 'relay-process.js')),
      log,
      onRemoval: () => {},
    });
    await egress.open();
    egresses.push(egress);
    return egress;
  }

  async function inSlot(egress: NamespaceEgress, slot: number, code: string): Promise<string> {
    const [program = '', ...args] = (await egress.prepare(slot)).command;
    return (await execute(program, [...args, process.execPath, '-e', code], { cwd: '/' })).stdout.trim();
  }

  const blockOf = async (egress: NamespaceEgress): Promise<string> =>
    /trawl\d+/.exec((await egress.prepare(0)).file)?.[0] ?? '';

  test('are created for a slot when it is first used, and removed when the worker ends', async () => {
    const egress = await opened();
    const name = await blockOf(egress);
    const router = idOf(`${name}-router`);
    expect(router).not.toBeNull();
    expect(idOf(`${name}-100`)).toBeNull();
    expect(await inSlot(egress, 100, 'console.log(process.getuid(), process.getgroups().join())')).toBe(
      `${users.uidOf(100)} ${users.uidOf(100)}`,
    );
    const slot = idOf(`${name}-100`);
    expect(slot).not.toBeNull();
    await egresses.pop()?.close();
    expect(idOf(`${name}-router`)).not.toBe(router);
    expect(idOf(`${name}-100`)).not.toBe(slot);
  });

  test('have different names and addresses for two workers on a machine', async () => {
    const [one, other] = [await opened(), await opened()];
    expect(await blockOf(one)).not.toBe(await blockOf(other));
    const addresses = "console.log(require('node:os').networkInterfaces().eth0[0].address)";
    expect(await inSlot(one, 0, addresses)).not.toBe(await inSlot(other, 0, addresses));
    // A browser on the machine fails its requests when the machine gets an address.
    expect(Object.keys(networkInterfaces()).filter(name => name.startsWith('trawl'))).toEqual([]);
  });

  test('reach a resolver on the machine’s loopback over UDP and TCP', async () => {
    const address = `127.0.0.${54 + (process.pid % 100)}`;
    const udp = createSocket('udp4');
    udp.on('message', (bytes, { port, address: from }) => udp.send(`${bytes} by UDP`, port, from)).bind(53, address);
    const tcp = createServer(connection => connection.end('by TCP')).listen(53, address);
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    const egress = await opened('', address);
    const said = await inSlot(
      egress,
      1,
      `const socket = require('node:dgram').createSocket('udp4');
      socket.connect(53, '${address}', () => socket.send('answered'));
      socket.on('message', bytes => {
        require('node:net').connect(53, '${address}').on('data', text => console.log(String(bytes), 'and', String(text))).on('end', () => process.exit());
      });`,
    );
    expect(said).toBe('answered by UDP and by TCP');
    udp.close();
    tcp.close();
  });

  test('have at most 1,024 connections each', async () => {
    const server = createServer(connection => connection.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const egress = await opened(`127.0.0.1:${port}`);
    const code = `
      let [open, refused] = [0, 0];
      const count = () => { if (open + refused === 1100) { console.log(open, refused); process.exit(); } };
      for (let n = 0; n < 1100; n += 1) require('node:net').connect(${port}, '127.0.0.1').on('connect', () => { open += 1; count(); }).on('error', () => { refused += 1; count(); });`;
    const [open = 0, refused = 0] = (await inSlot(egress, 2, code)).split(' ').map(Number);
    expect(open).toBeGreaterThan(900);
    expect(open).toBeLessThanOrEqual(1_024);
    expect(open + refused).toBe(1_100);
    server.close();
  });

  test('stay closed when a firewall removes the worker’s rules, which the worker soon restores', async () => {
    const server = createServer(connection => connection.end('hello')).listen(0, '127.0.0.1');
    const forbidden = createServer(connection => connection.destroy()).listen(0, '::');
    await Promise.all([once(server, 'listening'), once(forbidden, 'listening')]);
    const [allowedPort, port] = [server, forbidden].map(one => (one.address() as AddressInfo).port);
    const egress = await opened(`127.0.0.1:${allowedPort}`);
    const name = await blockOf(egress);
    const { path, environment } = await findTool('nft', log);
    execFileSync(path, ['delete', 'table', 'inet', name], { env: environment });
    const own = Object.values(networkInterfaces()).flatMap(list => list?.map(({ address }) => address) ?? []);
    // A link-local address needs the name of an interface.
    const hosts = own.filter(address => !address.startsWith('fe80'));
    const targets = [...hosts, '10.0.0.1', '169.254.169.254'].map(host => ({ host, port }));
    const code = `${ATTEMPTS} Promise.all(${JSON.stringify(targets)}.map(attempt)).then(ends => console.log(ends.join(' ')))`;
    const ends = (await inSlot(egress, 3, code)).split(' ');
    for (const [n, end] of ends.entries())
      expect([targets[n], end]).toEqual([targets[n], expect.stringMatching(REFUSED)]);
    const listed = () =>
      execute(path, ['list', 'table', 'inet', name], { env: environment }).then(
        () => true,
        () => false,
      );
    while (!(await listed())) await delay(200);
    server.close();
    forbidden.close();
  });

  test.each(['its watchdog', 'the next worker'])('are removed after the worker was killed, by %s', async remover => {
    const platform = new PlatformStandIn();
    await platform.open();
    const worker = await WorkerProcess.create(platform.url);
    worker.start();
    await platform.connected();
    const { pid } = worker;
    const name = nameOfWorker(pid);
    const ids = () => [`${name}-router`, `${name}-0`].map(idOf);
    const before = ids();
    expect(before).not.toContain(null);
    if (remover !== 'its watchdog') {
      // Stop the worker first, so that it does not start another watchdog.
      process.kill(pid, 'SIGSTOP');
      for (const watchdog of processesNaming('watchdog-process').filter(one => parentOf(one) === pid)) {
        process.kill(watchdog, 'SIGKILL');
      }
    }
    await worker.end('SIGKILL');
    if (remover !== 'its watchdog') {
      await opened();
      await egresses.pop()?.close();
    }
    await until(ids, now => now.every((id, n) => id !== before[n]));
    await worker.remove();
    await platform.close();
  });
});

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Returns the name of a worker's networks, from the abstract socket that claims it. */
function nameOfWorker(pid: number): string {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The worker has closed the descriptor in the meantime.
      return [];
    }
  });
  for (const [, inode, index] of readFileSync('/proc/net/unix', 'utf8').matchAll(
    /(\d+) @trawl-worker-network-(\d+)-/g,
  )) {
    if (sockets.includes(`socket:[${inode}]`)) return `trawl${index}`;
  }
  throw new Error(`The worker ${pid} has no networks.`);
}
