import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { connectedWorker } from './connected-worker.js';

const { platform } = connectedWorker();
const asRoot = process.getuid?.() === 0 && process.platform === 'linux' ? test : test.skip;
/** The pool parks a few processes ahead, so the slot of a run comes again within so many runs. */
const MAX_RUNS = 40;

/** Defines `look`, which returns all that a process sees of its slot, except how much the slot's network was used. */
const LOOK = `
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const attempt = act => { try { return act(); } catch (error) { return error.code ?? String(error); } };
const lines = file => attempt(() => fs.readFileSync(file, 'utf8').trim().split('\\n').slice(1).map(line => line.replace(/ +/g, ' ').replace(/^[ 0-9a-f]+: /, '')));
const status = () => fs.readFileSync('/proc/self/status', 'utf8');
const look = () => ({
  files: ['/home/run', '/home/run/tmp', '/dev/shm', '/tmp'].map(folder => fs.readdirSync(folder).sort()),
  ipc: ['msg', 'sem', 'shm'].map(kind => lines('/proc/sysvipc/' + kind)),
  sockets: ['tcp', 'tcp6', 'udp', 'udp6', 'raw'].map(kind => lines('/proc/net/' + kind)),
  unix: lines('/proc/net/unix').filter(line => line.includes('@')),
  routes: lines('/proc/net/route'),
  processes: fs.readdirSync('/proc').filter(Number).length,
  locks: attempt(() => fs.readFileSync('/proc/locks', 'utf8')).length,
  environment: process.env,
  umask: process.umask(),
  nice: require('node:os').getPriority(),
  signals: status().match(/^Sig(Blk|Ign|Cgt|Pnd):.*$/gm),
  limits: fs.readFileSync('/proc/self/limits', 'utf8'),
  host: require('node:os').hostname(),
  terminals: attempt(() => fs.readdirSync('/dev/pts')),
  terminal: attempt(() => fs.openSync('/dev/ptmx', 'r+')),
  keys: attempt(() => fs.readFileSync('/proc/keys', 'utf8').length),
  globals: Object.keys(globalThis).sort(),
});
`;

const SEEN = `${LOOK}module.exports = () => ({ uid: process.getuid(), pid: process.pid, seen: look() });`;

/** Leaves something of each kind behind. Sockets, timers and detached processes are alive when the run ends. */
const leaves = (port: number): string => `${LOOK}
const net = require('node:net');
const { spawn } = require('node:child_process');
module.exports = async () => {
  for (const folder of ['/home/run', '/home/run/tmp', '/dev/shm']) fs.writeFileSync(folder + '/left', 'secret');
  attempt(() => execFileSync('ipcmk', ['--shmem', '1000', '--queue', '--semaphore', '2']));
  const listen = where => new Promise(resolve => net.createServer().listen(where, resolve));
  await listen(7001);
  await listen('\\0left');
  const socket = net.connect(${port}, process.env.TARGET ?? '127.0.0.1');
  socket.on('error', () => {});
  require('node:dgram').createSocket('udp4').bind(7002);
  spawn('setsid', ['sh', '-c', 'trap "" TERM HUP INT; while true; do sleep 1; done'], { detached: true, stdio: 'ignore' }).unref();
  process.env.LEFT = 'secret';
  globalThis.left = 'secret';
  process.on('SIGUSR1', () => {});
  attempt(() => require('node:os').setPriority(19));
  setInterval(() => attempt(() => fs.writeFileSync('/home/run/late', 'secret')), 1);
  await new Promise(resolve => setTimeout(resolve, 50));
  const seen = look();
  process.umask(0o777);
  return { uid: process.getuid(), left: { files: seen.files, unix: seen.unix, processes: seen.processes, sockets: seen.sockets } };
};`;

async function output(skript: string): Promise<{ uid: number; seen?: unknown; left?: Record<string, unknown> }> {
  const finish = await platform.run(skript);
  expect(finish.error_stack).toBeNull();
  return JSON.parse(finish.output ?? 'null');
}

asRoot('a run sees nothing of the run that had its slot before', async () => {
  const server = createServer(socket => socket.on('error', () => {})).listen(0);
  try {
    const clean = await output(SEEN);
    const { uid, left } = await output(leaves((server.address() as AddressInfo).port));
    // The run before really left something, and saw it itself.
    expect(left).toMatchObject({ files: [['late', 'left', 'tmp'], ['left'], ['left'], expect.anything()] });
    expect(String(left?.unix)).toContain('@left');
    for (let runs = 1; ; runs += 1) {
      const next = await output(SEEN);
      if (next.uid !== uid) {
        expect(runs).toBeLessThan(MAX_RUNS);
        continue;
      }
      expect(next.seen).toEqual(clean.seen);
      return;
    }
  } finally {
    server.close();
  }
});

const SENDS = `module.exports = () => new Promise(resolve => {
  const socket = require('node:dgram').createSocket('udp4');
  socket.send('x', 53_000, '192.0.2.1', () => resolve({ uid: process.getuid() }));
});`;

asRoot('a slot whose run has used the network rests, because the kernel still counts its connections', async () => {
  const { uid } = await output(SENDS);
  for (let runs = 0; runs < MAX_RUNS; runs += 1) expect((await output(SEEN)).uid).not.toBe(uid);
});
