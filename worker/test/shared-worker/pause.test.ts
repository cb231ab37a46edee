import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAlive } from '../left-processes.js';
import { ANNOUNCE, announcedPids, until, written } from '../run-processes.js';
import { platform } from './worker.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

let commands = 0;
const command = (id: string, cmd: 'pause' | 'resume' | 'stop') => platform.control({ id, cmd, cmd_seq: ++commands });

/**
 * Returns the processor time that a process has used, in ticks of the kernel. While a process is in a loop, this grows
 * unless the process is frozen.
 */
const ticksOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
};

/**
 * Skripts with one or more processes. Each process that counts writes to a file of its own. Each skript announces pids
 * to the test.
 */
const KINDS = {
  'a loop that never gives way': `
    ${ANNOUNCE}module.exports = () => {
      announce();
      for (let n = 0; ; n++) require('node:fs').writeFileSync('count-0', String(n));
    };`,
  'child processes, one of a session of its own, and a grandchild': `
    const { spawn } = require('node:child_process');
    const fs = require('node:fs');
    ${ANNOUNCE}const counting = "i=0; while :; do i=$((i+1)); echo $i > $0; done";
    module.exports = () => {
      const near = spawn('/bin/sh', ['-c', counting, 'count-0']);
      const far = spawn('/bin/sh', ['-c', counting, 'count-1'], { detached: true });
      const parent = spawn('/bin/sh', ['-c', '/bin/sh -c "$1" count-2 & echo $! > grandchild; wait', 'sh', counting]);
      const wait = setInterval(() => {
        const grandchild = fs.existsSync('grandchild') && fs.readFileSync('grandchild', 'utf8').trim();
        if (!grandchild) return;
        clearInterval(wait);
        announce(near.pid, far.pid, parent.pid, grandchild);
      }, 5);
      return new Promise(() => setInterval(() => {}, 1_000));
    };`,
  'one that takes every signal it can': `
    const fs = require('node:fs');
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGUSR2', 'SIGCONT'])
      process.on(name, () => {});
    ${ANNOUNCE}module.exports = () => {
      announce();
      let n = 0;
      return new Promise(() => setInterval(() => fs.writeFileSync('count-0', String(++n)), 1));
    };`,
  'one that starts processes without end': `
    const { spawn } = require('node:child_process');
    const fs = require('node:fs');
    ${ANNOUNCE}module.exports = () => {
      announce();
      let n = 0;
      const next = () => spawn('/bin/true').on('close', () => { fs.writeFileSync('count-0', String(++n)); next(); });
      for (let i = 0; i < 4; i++) next();
      return new Promise(() => setInterval(() => {}, 1_000));
    };`,
  'shells that wait for one program after the other': `
    const { spawn } = require('node:child_process');
    ${ANNOUNCE}const counting = 'i=0; while :; do /bin/true; i=$((i+1)); echo $i > $0; done';
    module.exports = () => {
      const shells = Array.from({ length: 8 }, (_, n) => spawn('/bin/sh', ['-c', counting, 'count-' + n]));
      announce(...shells.map(({ pid }) => pid));
      return new Promise(() => setInterval(() => {}, 1_000));
    };`,
};

const ROUNDS = isFullTest ? 6 : 2;

const countsOf = (pid = 0) => Promise.all([0, 1, 2].map(n => written(pid, `count-${n}`)));

onLinux.each(Object.entries(KINDS))('pausing a run freezes %s, resuming thaws it, repeatedly', async (_, skript) => {
  const id = await platform.start(skript);
  const pids = await announcedPids(platform, id);
  await until(
    () => countsOf(pids[0]),
    counts => counts.some(count => Number(count) > 3),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    expect(await command(id, 'pause')).toMatchObject({ action: 'pause' });
    const [counts, ticks] = [await countsOf(pids[0]), pids.map(ticksOf)];
    // Wait until another run has counted much further, so that these processes had enough time to count.
    await platform.run('module.exports = () => { for (let n = 0; n < 2e8; n++); };');
    expect(await countsOf(pids[0])).toEqual(counts);
    expect(pids.map(ticksOf)).toEqual(ticks);
    expect(await command(id, 'resume')).toMatchObject({ action: 'start' });
    await until(
      () => countsOf(pids[0]),
      now => now.join() !== counts.join(),
    );
  }
  await command(id, 'stop');
  expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
  expect(pids.filter(isAlive)).toEqual([]);
});

onLinux('stopping a paused run notifies the skript, and saves what it then returns', async () => {
  const id = await platform.start(`
    ${ANNOUNCE}module.exports = () => new Promise(resolve => {
      global.trawl.eventEmitter.on('ff-stop', () => resolve('tidied up'));
      announce();
      setInterval(() => {}, 5);
    });`);
  await announcedPids(platform, id);
  expect(await command(id, 'pause')).toMatchObject({ action: 'pause' });
  expect(await command(id, 'stop')).toMatchObject({ action: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: '"tidied up"' });
});

onLinux('a paused run gives its slot to another run; when it is resumed, the worker is full again', async () => {
  const waits = 'module.exports = () => new Promise(() => setInterval(() => {}, 1_000));';
  const slots = platform.hellos[0]?.slots ?? 0;
  const ids = await Promise.all(Array.from({ length: slots }, () => platform.start(waits)));
  expect(await platform.offer(randomUUID(), waits)).toEqual({ refused: 'full' });
  const [paused = ''] = ids;
  await command(paused, 'pause');
  ids.push(await platform.start(waits));
  const isFull = () => platform.beats.at(-1)?.slots === slots + 1 && platform.beats.at(-1)?.free === 0;
  await platform.until(isFull, 'a beat with one more slot, none of them free');
  await command(paused, 'resume');
  expect(await platform.offer(randomUUID(), waits)).toEqual({ refused: 'full' });
  for (const id of ids) await command(id, 'stop');
  for (const id of ids) expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
});

onLinux('the time during which a run is paused does not count towards its time limit', async () => {
  const limited = 'module.exports = () => new Promise(() => setInterval(() => {}, 1_000));';
  const limits = { time_ms: 1_500, pause_ms: 3_600_000, output_bytes: 1_000 };
  const paused = await platform.start(limited, { limits });
  expect(await command(paused, 'pause')).toMatchObject({ action: 'pause' });
  // Wait until a run that began later has reached the same time limit. If the time of the paused run went on, that run
  // would have ended before.
  expect(await platform.run(limited, { limits })).toMatchObject({ error_code: 'time_limit' });
  expect(platform.finishes.has(paused)).toBe(false);
  await command(paused, 'resume');
  expect(await platform.ended(paused)).toMatchObject({ error_code: 'time_limit' });
});

onLinux('a run that is paused for too long ends with `pause_limit`', async () => {
  const limits = { time_ms: 20_000, pause_ms: 100, output_bytes: 1_000 };
  const id = await platform.start('module.exports = () => new Promise(() => setInterval(() => {}, 1_000));', {
    limits,
  });
  expect(await command(id, 'pause')).toMatchObject({ action: 'pause' });
  expect(await platform.ended(id)).toMatchObject({ error_code: 'pause_limit' });
});

onLinux('a run that is paused before its bundle is loaded executes nothing until it is resumed', async () => {
  const begun = platform.start(`
    console.log('x');
    module.exports = () => 'done';`);
  const id = await begun;
  const { action } = await command(id, 'pause');
  // The run may have ended before it could be paused. Then there is nothing to check.
  if (action !== 'pause') return;
  const before = await platform.read(id, 1, 1);
  await platform.run('module.exports = () => 1;');
  expect(await platform.read(id, 1, 1)).toEqual(before);
  await command(id, 'resume');
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '"done"' });
});

onLinux('a run stays paused over a lost connection, and then executes a resume of the meantime', async () => {
  const id = await platform.start(KINDS['a loop that never gives way']);
  const [pid = 0] = await announcedPids(platform, id);
  await command(id, 'pause');
  const { connections } = platform;
  platform.cut();
  await platform.until(() => platform.connections > connections, 'another connection');
  await platform.connected();
  expect(platform.hellos.at(-1)?.live).toContain(id);
  const ticks = ticksOf(pid);
  await platform.run('module.exports = () => { for (let n = 0; n < 2e8; n++); };');
  expect(ticksOf(pid)).toBe(ticks);
  platform.welcome.controls = [{ id, cmd: 'resume', cmd_seq: ++commands }];
  platform.cut();
  await until(
    () => ticksOf(pid),
    now => now > ticks,
  );
  await command(id, 'stop');
  await platform.ended(id);
});
