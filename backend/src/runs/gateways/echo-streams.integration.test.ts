import { randomUUID } from 'node:crypto';
import type { Echo } from '@trawl/contracts';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { MAX_STREAMS_PER_ACCOUNT } from './echo-streams.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
const opened: LiveLog[] = [];
let worker: TestWorker;
let runId: string;

beforeEach(async () => {
  worker = await fleet.connect();
  runId = (await fleet.start()).body.id;
  await worker.offers.next();
});
afterEach(() => {
  for (const log of opened.splice(0)) log.close();
});

interface LogEvent {
  id?: number;
  event?: string;
  data: any;
}

/** A client of the stream. It reads only as much as the test asks for. */
class LiveLog {
  #text = '';
  readonly #decoder = new TextDecoder();

  private constructor(
    readonly response: Response,
    readonly close: () => void,
    private readonly reader?: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  static async open({ after, token }: { after?: number; token?: string } = {}): Promise<LiveLog> {
    const abort = new AbortController();
    const response = await fetch(`${app.url}/joint-api/echoes/${runId}/stream`, {
      headers: {
        authorization: `Bearer ${token ?? (await app.token('developer'))}`,
        ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      },
      signal: abort.signal,
    });
    const log = new LiveLog(response, () => abort.abort(), response.body?.getReader());
    opened.push(log);
    return log;
  }

  /** Returns the next event; null if the stream has closed. */
  async next(): Promise<LogEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end === -1) {
        const chunk = await this.reader?.read().catch(() => undefined);
        if (!chunk?.value) return null;
        this.#text += this.#decoder.decode(chunk.value, { stream: true });
        continue;
      }
      const fields = Object.fromEntries(
        this.#text
          .slice(0, end)
          .split('\n')
          .map(line => line.split(/: (.*)/s)),
      );
      this.#text = this.#text.slice(end + 2);
      if (fields.data === undefined) continue;
      const { id, event, data } = fields;
      return { ...(id && { id: Number(id) }), ...(event && { event }), data: JSON.parse(data) };
    }
  }

  /** Reads as many events as there are ids, and checks them. */
  async expectIds(...ids: number[]): Promise<void> {
    const events: (LogEvent | null)[] = [];
    for (const _ of ids) events.push(await this.next());
    expect(events.map(event => event?.id)).toEqual(ids);
    expect(events.map(event => event?.data.seq)).toEqual(ids);
  }
}

const echoes = (from: number, to: number, msg = 'live'): Echo[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    type: 'log',
    msg,
    time: '2026-02-15T00:00:00.000Z',
  }));
const sendLive = (items: Echo[]) =>
  worker.socket.emit('echo_live', { epoch: worker.welcome.epoch, id: runId, from_seq: items[0]?.seq, items });

describe('a live log over HTTP', () => {
  it('sends saved, unsaved and live echoes in order, each once, and closes when the run ends', async () => {
    await worker.chunk(runId, 1, 1, ['saved', '"two\nlines"']);
    worker.unsaved = echoes(3, 3);
    const log = await LiveLog.open();
    expect(log.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await log.expectIds(1);
    expect((await log.next())?.data).toEqual({
      seq: 2,
      time: '2026-02-15T00:00:00.000Z',
      type: 'log',
      msg: 'two\nlines',
    });
    await log.expectIds(3);
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    sendLive(echoes(3, 5));
    await log.expectIds(4, 5);
    worker.unsaved = echoes(4, 6);
    await worker.finish(runId, { last_seq: 6, last_chunk: 2 });
    await log.expectIds(6);
    expect(await log.next()).toEqual({ event: 'end', data: { action: 'end', error_code: null, last_seq: 6 } });
    expect(await log.next()).toBeNull();
  });

  it('fills in echoes that the live view skipped, and stops the worker’s live view when the client disconnects', async () => {
    const log = await LiveLog.open({ after: 2 });
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    sendLive(echoes(3, 4));
    await log.expectIds(3, 4);
    worker.unsaved = echoes(1, 8);
    sendLive(echoes(7, 8));
    await log.expectIds(5, 6, 7, 8);
    log.close();
    expect(await worker.watches.next()).toEqual({ id: runId, on: false });
  });

  it('includes the echoes of a chunk that is saved while the backend asks the worker', async () => {
    worker.socket.removeAllListeners('echo_read');
    worker.socket.on('echo_read', async (_request, answer) => {
      await worker.chunk(runId, 1, 1, ['one', 'two']);
      answer({ items: echoes(3, 3) });
    });
    const log = await LiveLog.open();
    await log.expectIds(1, 2, 3);
  });

  it('of an ended run stays open until its last echoes are saved', async () => {
    await worker.finish(runId, { last_seq: 2, last_chunk: 2 });
    await worker.chunk(runId, 1, 1, ['one']);
    const log = await LiveLog.open();
    await log.expectIds(1);
    await worker.chunk(runId, 2, 2, ['two']);
    await log.expectIds(2);
    expect(await log.next()).toMatchObject({ event: 'end' });
    expect(await (await LiveLog.open({ after: 2 })).next()).toMatchObject({ event: 'end' });
  });

  it('resumed after a restart of the backend skips and repeats no echo', async () => {
    await worker.chunk(runId, 1, 1, ['one']);
    worker.unsaved = echoes(2, 2);
    const before = await LiveLog.open();
    await before.expectIds(1, 2);
    await app.stop();
    expect(await before.next()).toBeNull();
    await app.start();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [runId] });
    worker.unsaved = echoes(2, 3);
    const log = await LiveLog.open({ after: 2 });
    await log.expectIds(3);
    await worker.chunk(runId, 2, 2, ['two', 'three', 'four']);
    await worker.finish(runId, { last_seq: 4, last_chunk: 2 });
    await log.expectIds(4);
    expect(await log.next()).toMatchObject({ event: 'end' });
  });

  it('sends every echo to a client that reads slowly', async () => {
    const log = await LiveLog.open();
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    const text = 'x'.repeat(40_000);
    // More than fits into the buffers of the connection.
    for (let n = 1; n <= 40; n += 1) {
      const from = (n - 1) * 10 + 1;
      sendLive(echoes(from, from + 9, text));
      await worker.chunk(runId, n, from, Array(10).fill(text));
    }
    await worker.finish(runId, { last_seq: 400, last_chunk: 40 });
    await log.expectIds(...Array.from({ length: 400 }, (_, index) => index + 1));
    expect(await log.next()).toMatchObject({ event: 'end' });
  });

  it('closes without an `end` event when the client’s API key is revoked', async () => {
    const { body } = await developer('POST', '/joint-api/keys/addnew', { name: randomUUID(), scope: 'read' });
    const log = await LiveLog.open({ token: body.key });
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    await developer('DELETE', `/joint-api/keys/${body.id}`);
    expect(await log.next()).toBeNull();
  });

  it('is refused to other users, with an invalid Last-Event-ID, and if the account has too many open', async () => {
    const statusOf = async (options: Parameters<typeof LiveLog.open>[0]) =>
      (await LiveLog.open(options)).response.status;
    expect(await statusOf({ token: await app.token('admin') })).toBe(404);
    for (const after of [-1, 0.5, 2 ** 31, Number.NaN]) expect(await statusOf({ after })).toBe(400);
    const logs = await Promise.all(Array.from({ length: MAX_STREAMS_PER_ACCOUNT }, () => LiveLog.open()));
    expect(logs.map(({ response }) => response.status)).toEqual(logs.map(() => 200));
    expect(await statusOf({})).toBe(429);
    logs[0]?.close();
    await until(
      () => statusOf({}),
      status => status === 200,
    );
  });
});
