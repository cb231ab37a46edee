import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../harness/platform-client.js';
import { until } from '../harness/until.js';
import type { Account } from './account.js';
import { BIND_PORTS, BUSY, BUSY_CHILDREN, ECHOES, LARGE_QUEUE, OPEN_FILES, QUEUES, SLEEPS } from './attack-skripts.js';

export interface Attack {
  name: string;
  /**
   * Attacks until the attack is over, and returns the errors that the attacker got.
   *
   * @param isFull whether the attack has its full size; otherwise it needs little processor time
   */
  run(attacker: Account, isFull: boolean): Promise<string[]>;
  /** A pattern of the error that names the limit; null if the attacker gets no error and only waits longer. */
  says: RegExp | null;
  /** Whether the attack keeps all live runs of its account, so that other attacks of the same account could start none. */
  keepsAllRuns?: boolean;
}

/** The attacks of one account on all others. */
export const ATTACKS: Attack[] = [
  { name: 'a run with busy children in sessions of their own', run: busyChildren, says: /time limit of \d+ ms/ },
  { name: 'as many paused runs as possible', run: pausedRuns, says: /quota of \d+ live runs/ },
  { name: 'as many busy runs as possible', run: busyRuns, says: /quota of \d+ live runs/, keepsAllRuns: true },
  { name: 'aggregations that need gigabytes', run: aggregations, says: /At most 50 are allowed/ },
  {
    name: 'runs with as many echoes as possible',
    run: echoes,
    says: /quota of [\d.]+ \w+ of saved echoes|64 MB of echoes/,
  },
  { name: 'a run that opens a million files', run: openFiles, says: /open files in a process/ },
  { name: 'a run that listens on 22,000 ports', run: bindPorts, says: /time limit of \d+ ms|open files|processes/ },
  { name: 'many runs, and builds of broken files', run: runsAndBuilds, says: /1048576|1 MB|1 MiB/ },
  { name: 'searches in many short echoes', run: searches, says: null },
  { name: 'lists with 20 calls at a time', run: lists, says: null },
  // Locks are counted only where accounts share a server.
  {
    name: 'SQL that computes, sorts, locks and needs memory',
    run: sql,
    says: /held more than \d+ locks|did not finish within 30 s/,
  },
  { name: 'libraries with many files, and archives that unpack to gigabytes', run: libraries, says: /MB on disk/ },
  { name: 'queues that are filled, taken and left', run: queues, says: /have 1,000 queues|the limit is 8192/ },
  { name: 'a queue of 200,000 requests that five runs fill and empty', run: largeQueue, says: null },
  { name: 'connections with parts of frames', run: openConnections, says: /have not signed in yet/ },
];

const repeat = <T>(times: number, act: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, n) => act(n)));

/** Waits for the end of a run. */
async function ended(attacker: Account, started: Answer): Promise<Answer> {
  let answer = started;
  while (answer.body.action === 'start') {
    answer = await attacker.call('GET', `/joint-api/skript-execution/${answer.body.id}?wait_ms=60000`);
  }
  return answer;
}

/** Lists the errors in answers of the API: of the calls, and of the runs that they started. */
const errorsOf = (...answers: Answer[]): string[] =>
  answers.map(({ body }) => String(body.error_message ?? body.error_stack ?? '')).filter(Boolean);

async function busyChildren(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Busy', BUSY_CHILDREN, { time_limit_ms: isFull ? 10_000 : 1_000 });
  return errorsOf(await attacker.start(id, { children: isFull ? 100 : 10 }));
}

function pausedRuns(attacker: Account): Promise<string[]> {
  return asManyRuns(attacker, { title: 'Paused', code: SLEEPS, ms: 600_000 }, async runs => {
    await Promise.all(runs.map(run => attacker.call('POST', `${run}/pause`)));
  });
}

function busyRuns(attacker: Account, isFull: boolean): Promise<string[]> {
  const ms = isFull ? 10_000 : 200;
  return asManyRuns(attacker, { title: 'Busy runs', code: BUSY, ms: 600_000 }, () => delay(ms));
}

/** Nothing is refused: while accounts compete, each has two calls in progress, and the others wait. */
async function lists(attacker: Account, isFull: boolean): Promise<string[]> {
  const endAt = Date.now() + (isFull ? 10_000 : 200);
  const answers = await repeat(20, async () => {
    let answer: Answer;
    do answer = await attacker.call('GET', '/joint-api/skripts/list');
    while (answer.status === 200 && Date.now() < endAt);
    return answer;
  });
  return errorsOf(...answers);
}

/** Starts as many runs as the quota allows, does something with them, and stops them. */
async function asManyRuns(
  attacker: Account,
  { title, code, ms }: { title: string; code: string; ms: number },
  act: (runs: string[]) => Promise<void>,
): Promise<string[]> {
  const { id } = await attacker.skript(title, code);
  const answers: Answer[] = [];
  // The quota of live runs ends the loop. Equal runs would be refused without it.
  while (answers.every(({ status }) => status === 202)) {
    answers.push(await attacker.start(id, { ms, n: answers.length }, 0));
  }
  const runs = answers
    .filter(({ status }) => status === 202)
    .map(({ body }) => `/joint-api/skript-execution/${body.id}`);
  try {
    await act(runs);
  } finally {
    await Promise.all(runs.map(run => attacker.call('POST', `${run}/stop`)));
    const isOver = async (run: string) => ['stop', 'end', 'error'].includes((await attacker.get('GET', run)).action);
    for (const run of runs) await until(() => isOver(run), 'a stopped run to end', 120_000);
  }
  return errorsOf(...answers);
}

async function aggregations(attacker: Account, isFull: boolean): Promise<string[]> {
  const { items } = await attacker.get('GET', '/joint-api/mongo-databases/list');
  const path = `/joint-api/mongo/${items[0].id}/attacks`;
  await attacker.get('POST', `${path}/addnew`, { document: { n: 1 } });
  // A text of 8 MB, or of 1 MB.
  const steps = { $range: [0, isFull ? 23 : 20] };
  const text = { $reduce: { input: steps, initialValue: 'x', in: { $concat: ['$$value', '$$value'] } } };
  const query = (texts: number) => {
    const list = Array.from({ length: texts }, (_, n) => ({ $concat: ['$text', String(n)] }));
    const pipeline = [{ $project: { text } }, { $project: { size: { $size: [list] } } }];
    return attacker.call('POST', `${path}/aggregate`, { pipeline });
  };
  return errorsOf(...(await Promise.all([query(256), ...Array.from({ length: isFull ? 8 : 1 }, () => query(45))])));
}

async function echoes(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Echoes', ECHOES);
  // At full size, a run has more echoes than Trawl saves of one.
  const input = { echoes: isFull ? 70_000 : 500, chars: 1_000 };
  const [first, second] = [await attacker.start(id, input), await attacker.start(id, input)];
  // The last saved echo names the limit. The worker saves it after the end of the run.
  const path = `/joint-api/echoes/${second.body.id}/list?limit=1&before_seq=2147483647`;
  const limit = async () =>
    (await attacker.get('GET', path)).items[0]?.msg.match(/your quota.*|This run has sent.*/)?.[0];
  return [...errorsOf(first, second), await until(limit, 'an echo that names the limit', 120_000)];
}

async function openFiles(attacker: Account): Promise<string[]> {
  const { id } = await attacker.skript('Files', OPEN_FILES);
  return errorsOf(await attacker.start(id));
}

async function bindPorts(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Ports', BIND_PORTS, { time_limit_ms: isFull ? 20_000 : 1_000 });
  return errorsOf(await attacker.start(id, { programs: isFull ? 11 : 1 }));
}

async function runsAndBuilds(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Runs', SLEEPS);
  const runs = repeat(isFull ? 24 : 2, n => attacker.start(id, { ms: isFull ? 12_000 : 100, n }));
  const broken = `${'x = [0];\n'.repeat(isFull ? 110_000 : 1_000)}const y = ;`;
  const builds = repeat(isFull ? 6 : 1, async () => {
    const skriptId = await attacker.newSkript('Broken');
    const add = (name: string, content: string) =>
      attacker.call('POST', '/joint-api/skript-files/addnew', { skript_id: skriptId, name, content });
    await add('main.js', "require('./a.js'); require('./b.js'); require('./c.js');");
    const files = await Promise.all(['a.js', 'b.js', 'c.js'].map(name => add(name, broken)));
    const tooLarge = await add('d.js', 'x'.repeat(1024 * 1024 + 1));
    return errorsOf(...files, tooLarge, await attacker.call('POST', `/joint-api/skripts/${skriptId}/bundle`));
  });
  return [...(await builds).flat(), ...errorsOf(...(await runs))];
}

async function libraries(attacker: Account, isFull: boolean): Promise<string[]> {
  const [skripts, files] = isFull ? [12, 21_000] : [2, 200];
  const begin = async (library: string) => {
    const id = await attacker.newSkript('Libraries');
    const content = `module.exports = () => require('${library}/package.json').version;`;
    const dependencies = JSON.stringify({ dependencies: { [library]: '*' } });
    for (const file of [
      { name: 'main.js', content },
      { name: 'package.json', content: dependencies },
    ]) {
      await attacker.get('POST', '/joint-api/skript-files/addnew', { skript_id: id, ...file });
    }
    return attacker.start(id, undefined, 0);
  };
  const unknown = () => randomBytes(4).toString('hex');
  // One installation of an account is in progress at a time, and those of many files take minutes on a busy machine.
  const bomb = await begin(`bomb-${unknown()}`);
  const crowds = repeat(skripts, async () => ended(attacker, await begin(`crowd-${files}-${unknown()}`)));
  return errorsOf(await ended(attacker, bomb), ...(await crowds));
}

async function queues(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Queues', QUEUES);
  return errorsOf(await attacker.start(id, isFull ? { rounds: 200, queues: 1_001 } : { rounds: 2, queues: 10 }));
}

/** Nothing is refused. @throws Error if a request was lost, or settled twice */
async function largeQueue(attacker: Account, isFull: boolean): Promise<string[]> {
  const [runs, pages] = isFull ? [5, 40_000] : [2, 1_000];
  const { id } = await attacker.skript('Large queue', LARGE_QUEUE);
  const answers = await repeat(runs, async run => ended(attacker, await attacker.start(id, { run, pages }, 0)));
  const errors = errorsOf(...answers);
  const done = answers.reduce((sum, { body }) => sum + (body.output?.done ?? 0), 0);
  const { items } = await attacker.get('GET', '/joint-api/queues/list');
  const counted = [done, items[0]?.done];
  if (errors.length === 0 && counted.some(count => count !== runs * pages))
    throw new Error(`${counted.join(' and ')} of ${runs * pages} requests are done.`);
  return errors;
}

async function searches(attacker: Account, isFull: boolean): Promise<string[]> {
  const { id } = await attacker.skript('Short echoes', ECHOES);
  const run = await attacker.start(id, { echoes: isFull ? 400_000 : 2_000, chars: 4 });
  const path = `/joint-api/echoes/${run.body.id}/list?limit=1000&contains=nowhere`;
  const answers = await repeat(isFull ? 60 : 8, () => attacker.call('GET', path));
  return errorsOf(run, ...answers);
}

/**
 * More statements than an account may have at once: some compute, some sort on disk, some need memory, and some hold
 * locks. At full size each goes on until a limit ends it.
 */
async function sql(attacker: Account, isFull: boolean): Promise<string[]> {
  const rows = isFull ? 1e11 : 1e4;
  const statements = [
    `DO $$ BEGIN FOR n IN 1..6000 LOOP EXECUTE format('CREATE TABLE locked_%s ()', n); END LOOP; PERFORM pg_sleep(60); END $$`,
    `SELECT count(*) FROM generate_series(1, ${rows}::bigint)`,
    `SELECT md5(n::text) FROM generate_series(1, ${rows}::bigint) n ORDER BY 1 LIMIT 1`,
    `SELECT length(string_agg(repeat('x', 1000), '')) FROM generate_series(1, ${rows / 10}::bigint) n`,
  ];
  const answers = await repeat(isFull ? 40 : statements.length, n =>
    attacker.call('POST', '/joint-api/postgres/query', {
      sql: statements[n % statements.length],
      read_only: n % statements.length > 0,
    }),
  );
  return errorsOf(...answers);
}

/**
 * Opens connections without a token, and sends a frame on each except for its last bytes. At full size, waits until the
 * backend closes the connections.
 */
async function openConnections(attacker: Account, isFull: boolean): Promise<string[]> {
  const sockets: Socket[] = [];
  try {
    const answers = await repeat(isFull ? 150 : 40, () =>
      openConnection(attacker, isFull ? 1_100_000 : 1_000, sockets),
    );
    if (isFull) await Promise.all(sockets.map(closed));
    return answers.filter(text => !text.includes(' 101 '));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

const closed = (socket: Socket) =>
  socket.closed ? undefined : new Promise(resolve => void socket.once('close', resolve));

/** Opens a WebSocket, sends the first part of a frame, and returns what the backend answered to the handshake. */
async function openConnection({ url, address }: Account, bytes: number, sockets: Socket[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {}); // The backend closes connections that do not sign in.
  const handshake = [
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
    `Host: ${hostname}`,
    `X-Forwarded-For: ${address}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
  header.writeUInt32BE(bytes, 6);
  socket.write(header);
  socket.write(Buffer.alloc(bytes - 10));
  return answer.toString();
}
