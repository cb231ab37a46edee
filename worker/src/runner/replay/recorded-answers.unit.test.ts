import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { packExchange } from '../../records/pack-exchange.js';
import { RECORD_HEAD, RecordRefused } from '../../records/record-format.js';
import { checkRecord } from '../../records/run-record.js';
import { RecordRedaction } from './record-redaction.js';
import { RecordedAnswers } from './recorded-answers.js';
import { Recorder } from './recorder.js';
import { Replay } from './replay.js';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorded-answers-'));
  path = join(folder, 'record');
});
afterAll(() => rm(folder, { recursive: true }));

const SITE = 'http://site.test/login';
const ANSWER = { status: 200, status_text: 'OK', response_headers: [], is_cut: false, error: null };

/** Tells this process the value of a session, as @trawl/storage does. */
function tellSession(value: string): void {
  const cookie = { name: 'token', value, domain: 'site.test', path: '/' };
  const told = globalThis as Record<symbol, (json: string) => void>;
  told[Symbol.for('trawl.sessionValue')]?.(JSON.stringify({ cookies: [cookie], origins: [] }));
}

/** Records POST requests, whose answers have their numbers. Afterwards, `then` is called, and `later` requests are recorded. */
async function record(
  bodies: string[],
  then = () => {},
  { url = SITE, later = [] as string[], isKilled = false } = {},
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const recorder = new Recorder(
    null,
    bytes => pieces.push(bytes),
    () => {},
  );
  let count = 0;
  const add = async (all: string[]) => {
    for (const body of all) {
      count += 1;
      const request = { method: 'POST', url, request_headers: [], request_body: Buffer.from(body) };
      recorder.add({ ...ANSWER, ...request, body: Buffer.from(`answer ${count}`) });
    }
    // One piece is the head of the record.
    const isAdded = () => Buffer.concat(pieces).includes(`answer ${count}`);
    while (!isAdded()) await setImmediate();
  };
  await add(bodies);
  then();
  if (later.length > 0) await add(later);
  if (!isKilled) await recorder.finish();
  const bytes = Buffer.concat(pieces);
  await writeFile(path, bytes);
  return bytes;
}

/** Returns the answers of a replay, and null for each request that the record has no answer to. */
async function replay(bodies: string[], secret: object | null = null, url = SITE): Promise<(string | null)[]> {
  const answers = await RecordedAnswers.open(path);
  const events = { missed: () => {}, warn: () => {} };
  const replayed = new Replay(answers, new RecordRedaction(secret && JSON.stringify(secret)), events);
  const found: (string | null)[] = [];
  for (const body of bodies) {
    const answer = await replayed.answer({ method: 'POST', url, headers: [], body: Buffer.from(body) });
    found.push(answer && String(answer.body));
  }
  await answers['reader'].close();
  return found;
}

test.each([
  ['a form', 'page=1&token=early-token-1', 'page=1&token=%5Bsecret%5D'],
  ['JSON', '{"page":1,"token":"early-token-1"}', '{"page":1,"token":"[secret]"}'],
])('%s with a token that became known later gets its answers in their order', async (_, sent, replayed) => {
  const bytes = await record([sent, 'other', sent], () => tellSession('early-token-1'));
  expect(await checkRecord(path)).toBe(3);
  expect(bytes.includes('early-token')).toBe(false);
  expect(await replay([replayed, 'other', replayed])).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(await replay([replayed.replace('1', '2'), `${replayed} `])).toEqual([null, null]);
});

test('requests before and after the token became known get their answers in order', async () => {
  const same = 'token=early-token-1';
  await record([same], () => tellSession('early-token-1'), { later: [same] });
  expect(await replay(['token=%5bsecret%5d', 'token=[secret]'])).toEqual(['answer 1', 'answer 2']);
  // A run that is killed does not finish its record.
  await record([same], () => tellSession('early-token-1'), { later: [same], isKilled: true });
  expect(await replay(['token=[secret]', 'token=[secret]'])).toEqual(['answer 1', 'answer 2']);
});

test('a value that is in the input secret only since the recording does not hide the answer', async () => {
  const url = `${SITE}?key=moved-to-secret`;
  await record(['key=moved-to-secret', 'key=another-value'], undefined, { url });
  const secret = { key: 'moved-to-secret' };
  expect(await replay(['key=moved-to-secret', 'key=another-value'], secret, url)).toEqual(['answer 1', 'answer 2']);
  expect(await replay(['key=moved-to-secret&page=2'], secret, url)).toEqual([null]);
});

test('after more bodies than a run keeps, requests to their address have no answer instead of a wrong one', async () => {
  const large = (text: string) => `${'x'.repeat(3 * 1024 * 1024)} token=${text}`;
  const sent = [large('early-token-1'), large('early-token-1'), 'small'];
  await record(sent, () => tellSession('early-token-1'));
  expect(await replay([large('[secret]'), large('[secret]'), 'small'])).toEqual([null, null, null]);
  // No value became known.
  await record(sent);
  expect(await replay(sent)).toEqual(['answer 1', 'answer 2', 'answer 3']);
});

test('a record that gives a later exchange as the same is refused', async () => {
  const head = { method: 'POST', url: SITE, request: '', status: 0, status_text: '', headers: [], error: null };
  const exchange = await packExchange({ ...head, same_as: 2 }, Buffer.alloc(0));
  await writeFile(path, Buffer.concat([Buffer.from(RECORD_HEAD), exchange]));
  await expect(RecordedAnswers.open(path)).rejects.toThrow(RecordRefused);
});
