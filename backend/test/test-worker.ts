import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type AnswerResult,
  type Control,
  type ControlAnswer,
  type EchoPage,
  type ExchangesPart,
  type ExchangesRead,
  type Hello,
  type Offer,
  type OfferAnswer,
  PROTOCOL,
  type Restart,
  type Answer as RunAnswer,
  type Watch,
  type Welcome,
  WORKER_NAMESPACE,
} from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { LeasesService } from '../src/runs/executions/leases/leases.service.js';
import { SweepGuard } from '../src/runs/executions/leases/sweep-guard.js';
import type { Answer, TestApp } from './test-app.js';
import { until } from './until.js';

/** Received frames in the order of arrival. `next` waits for a frame that has not arrived yet. */
class Inbox<Item> {
  readonly all: Item[] = [];
  readonly #waiting: ((item: Item) => void)[] = [];
  #taken = 0;

  put(item: Item): void {
    this.all.push(item);
    this.#waiting.shift()?.(this.all[this.#taken++] as Item);
  }

  next(): Promise<Item> {
    if (this.#taken < this.all.length) return Promise.resolve(this.all[this.#taken++] as Item);
    return new Promise(resolve => this.#waiting.push(resolve));
  }
}

/**
 * A worker that a test controls frame by frame, to test the backend's side of the protocol. All workers with the same
 * key connect as from the same data folder, one boot after the other, unless a test says otherwise.
 */
export class TestWorker {
  static readonly #lastBoots = new Map<string, string>();
  readonly offers = new Inbox<Offer>();
  readonly controls = new Inbox<Control>();
  readonly answers = new Inbox<RunAnswer>();
  readonly watches = new Inbox<Watch>();
  readonly restarts = new Inbox<Restart>();
  answerToOffers: OfferAnswer | Promise<OfferAnswer> | 'none' = { accepted: true };
  answerToControls = ({ cmd }: Control): Omit<ControlAnswer, 'cmd_seq'> | 'none' => ({
    action: cmd === 'resume' ? 'start' : cmd,
  });
  answerToAnswers: AnswerResult['result'] | 'none' = 'accepted';
  unsaved: EchoPage['items'] = [];
  /** Answers of the worker that is asked for the exchanges of runs. */
  exchanges: (request: ExchangesRead) => ExchangesPart | 'none' = () => ({ bytes: 0, gz: new Uint8Array() });
  welcome!: Welcome;

  private constructor(
    readonly socket: Socket,
    readonly bootId: string,
  ) {
    socket.on('offer', (offer: Offer, ack: (answer: OfferAnswer) => void) => {
      if (this.answerToOffers instanceof Promise) void this.answerToOffers.then(ack);
      else if (this.answerToOffers !== 'none') ack(this.answerToOffers);
      this.offers.put(offer);
    });
    socket.on('control', (control: Control, ack: (answer: object) => void) => {
      const answer = this.answerToControls(control);
      if (answer !== 'none') ack({ cmd_seq: control.cmd_seq, ...answer });
      this.controls.put(control);
    });
    socket.on('answer', (answer: RunAnswer, ack: (result: AnswerResult) => void) => {
      if (this.answerToAnswers !== 'none') ack({ result: this.answerToAnswers });
      this.answers.put(answer);
    });
    socket.on('watch', (watch: Watch) => this.watches.put(watch));
    socket.on('restart', (restart: Restart, ack: (answer: object) => void) => {
      ack({ restarting: true });
      this.restarts.put(restart);
    });
    socket.on('exchanges_read', (request: ExchangesRead, ack: (part: ExchangesPart) => void) => {
      const part = this.exchanges(request);
      if (part !== 'none') ack(part);
    });
    socket.on('echo_read', (_request, ack: (page: EchoPage) => void) => ack({ items: this.unsaved }));
  }

  static async connect(app: TestApp, key: string, hello: Partial<Hello> = {}): Promise<TestWorker> {
    const socket = io(app.url + WORKER_NAMESPACE, {
      transports: ['websocket'],
      auth: { key },
      reconnection: false,
      forceNew: true,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
    });
    const worker = new TestWorker(socket, hello.boot_id ?? randomUUID());
    const answer = await worker.send('hello', {
      protocol: PROTOCOL,
      previous_boot_id: TestWorker.#lastBoots.get(key) ?? null,
      version: '0.0.0-test',
      environments: ['nodejs'],
      sandbox_layers: [],
      sandbox: 'reduced',
      slots: 2,
      live: [],
      done: [],
      ...hello,
      boot_id: worker.bootId,
    });
    if (answer.error) {
      socket.disconnect();
      throw new Error(answer.error.message);
    }
    worker.welcome = answer;
    TestWorker.#lastBoots.set(key, worker.bootId);
    return worker;
  }

  send<Answer = any>(event: string, frame: object): Promise<Answer> {
    return this.socket.timeout(60_000).emitWithAck(event, frame);
  }

  finish(id: string, ending: object = {}, epoch = this.welcome.epoch): Promise<any> {
    return this.send('finish', {
      epoch,
      id,
      action: 'end',
      output: '{"done":true}',
      error_code: null,
      error_stack: null,
      last_seq: 0,
      last_chunk: 0,
      ...ending,
    });
  }

  chunk(id: string, n: number, fromSeq: number, lines: string[], change: object = {}): Promise<any> {
    return this.send('echo_chunk', { epoch: this.welcome.epoch, id, n, ...chunkOf(fromSeq, lines), ...change });
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** A chunk of echoes that is part of the end of its run. */
export function chunkOfFinish(n: number, fromSeq: number, lines: string[]) {
  const { gz, ...chunk } = chunkOf(fromSeq, lines);
  return { n, ...chunk, gz: gz.toString('base64') };
}

/** A chunk of echoes without its number. */
export function chunkOf(fromSeq: number, lines: string[]) {
  const gz = gzipSync(lines.map((msg, index) => `${fromSeq + index},2026-02-15T00:00:00.000Z,log,${msg}\n`).join(''));
  const sha = createHash('sha256').update(gz).digest('hex');
  return { from_seq: fromSeq, to_seq: fromSeq + lines.length - 1, gz, sha };
}

export interface TestFleet {
  workerId: string;
  key: string;
  skriptId: string;
  connect: (hello?: Partial<Hello>) => Promise<TestWorker>;
  /** Waits until the platform shows the worker as offline. */
  untilOffline: () => Promise<unknown>;
  /** Starts the skript on the worker, as the developer. Without `query`, the call returns before the run ends. */
  start: (body?: object, query?: string, headers?: Record<string, string>) => Promise<Answer>;
}

/** Creates a public worker and a skript with a `main.js` through the API. */
export async function makeWorkerAndSkript(app: TestApp, title: string): Promise<TestFleet> {
  const admin = await app.as('admin');
  const developer = await app.as('developer');
  const worker = (await admin('POST', '/joint-api/workers/addnew', { name: title, public: true })).body;
  const skript = (await developer('POST', '/joint-api/skripts/addnew', { title })).body;
  await developer('POST', '/joint-api/skript-files/addnew', {
    skript_id: skript.id,
    name: 'main.js',
    content: 'module.exports = async input => input;\n',
  });
  return {
    workerId: worker.id,
    key: worker.key,
    skriptId: skript.id,
    connect: hello => TestWorker.connect(app, worker.key, hello),
    untilOffline: () =>
      until(
        async () => (await developer('GET', `/joint-api/workers/${worker.id}`)).body.status,
        status => status === 'offline',
      ),
    start: (body, query = 'wait_ms=0', headers = {}) =>
      developer(
        'POST',
        `/joint-api/execute-skript/single-worker/start?${query}`,
        { worker_id: worker.id, skript_id: skript.id, ...body },
        headers,
      ),
  };
}

/**
 * Before each test of the calling file, creates a worker and a skript. After each test, closes the connections that
 * `connect` opened.
 */
export function fleetForEachTest(app: TestApp): TestFleet {
  const fleet = {} as TestFleet;
  const connected: TestWorker[] = [];
  let count = 0;
  beforeEach(async () => {
    Object.assign(fleet, await makeWorkerAndSkript(app, `fleet-${++count}`), {
      connect: async (hello?: Partial<Hello>) => {
        const worker = await TestWorker.connect(app, fleet.key, hello);
        connected.push(worker);
        return worker;
      },
    });
  });
  afterEach(() => {
    for (const worker of connected.splice(0)) worker.close();
  });
  return fleet;
}

/** Sweeps the leases as a backend does that has been up for longer than a lease: it may declare workers lost. */
export async function sweepLeases(app: TestApp): Promise<void> {
  const allows = jest.spyOn(SweepGuard.prototype, 'allows').mockReturnValue(true);
  try {
    await app.part(LeasesService).sweep();
  } finally {
    allows.mockRestore();
  }
}
