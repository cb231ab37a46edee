/**
 * Stand-in for the platform in tests of the worker. It parses every frame with its schema, checks epochs, and keeps in
 * memory what the real platform stores in its database.
 */
import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  type Answer,
  type AnswerResult,
  type BackendToWorker,
  type Beat,
  beatSchema,
  CHUNK_IN_FINISH_PROTOCOL,
  type Control,
  ECHO_CSV_COLUMNS,
  type Echo,
  type EchoChunk,
  type EchoLive,
  type ExchangesPart,
  type ExchangesRead,
  echoChunkSchema,
  echoLiveSchema,
  type Finish,
  type FrameRefusal,
  finishSchema,
  type Hello,
  helloSchema,
  LEASE_MS,
  LIMITS,
  type Offer,
  type OfferAnswer,
  PROTOCOL,
  type RestartMode,
  type RunState,
  type StorageAnswer,
  type StorageFrame,
  stateSchema,
  storageSchema,
  WORKER_NAMESPACE,
  type WorkerToBackend,
} from '@trawl/contracts';
import { serialize } from 'bson';
import { parse } from 'csv-parse/sync';
import { Server, type Socket } from 'socket.io';
import { bundleOf } from './skript-bundle.js';

export const WORKER_KEY = 'trw_test-key-of-the-worker';
/** The owner of the runs. */
const OWNER = '0190f7a2-0000-7000-8000-00000000000a';
const WAIT_MS = 60_000;

type WorkerSocket = Socket<WorkerToBackend, BackendToWorker>;

export class PlatformStandIn {
  readonly hellos: Hello[] = [];
  readonly beats: Beat[] = [];
  readonly finishes = new Map<string, Finish[]>();
  readonly chunks = new Map<string, Map<number, EchoChunk>>();
  /** Number of frames with nothing but a chunk of echoes. */
  chunkFrames = 0;
  /** All frames of WebSocket connections, in both directions, as text or bytes. */
  readonly frames: unknown[] = [];
  readonly live: EchoLive[] = [];
  readonly storage: StorageFrame[] = [];
  readonly states: RunState[] = [];
  /** Records of runs, by their ids. */
  readonly records = new Map<string, Buffer>();
  readonly recordProblems = new Map<string, string | null>();
  /** Locks of npm libraries, by hash. */
  readonly locks = new Map<string, string>();
  /** Number of connections so far. On each of them, the worker has sent one or more hellos. */
  connections = 0;
  /** Sent in each welcome. */
  leaseMs = LEASE_MS;
  /** Version of the protocol. A platform of the version before takes no chunk of echoes from `finish`. */
  protocol = PROTOCOL;
  /** Fields that every message to the worker has besides. */
  extra: object = {};
  /** If set, every hello is refused with it. */
  refusal: FrameRefusal['error'] | null = null;
  /** Lists that are sent in the next welcome. */
  welcome: { kill: string[]; forget: string[]; controls: Control[] } = { kill: [], forget: [], controls: [] };
  answerStorage: (frame: StorageFrame) => StorageAnswer | Promise<StorageAnswer> | null = () => ({
    result: serialize({}),
  });
  mayRead = true;
  /** If false, frames of the worker arrive, but their acknowledgements are lost. */
  acknowledging = true;
  /** The name of an event whose acknowledgements are lost. Those of all other events arrive. */
  unanswered: string | null = null;
  readonly #bundles = new Map<string, string>();
  readonly #accepted = new Set<string>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #http: HttpServer | undefined;
  #io: Server<WorkerToBackend, BackendToWorker> | undefined;
  #socket: WorkerSocket | undefined;
  #epoch = 0;
  #offers = 0;
  #lastOffer: Offer | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts to listen. When it is called again, it listens on the same port as before. */
  async open(): Promise<void> {
    this.#http = createServer((request, response) => {
      const [, recorded] = /^\/worker-api\/records\/([\w-]+)/.exec(request.url ?? '') ?? [];
      if (recorded !== undefined) return void this.#answerRecord(recorded, request, response);
      const [, folder, hash = ''] = /^\/worker-api\/(bundles|locks)\/(\w+)$/.exec(request.url ?? '') ?? [];
      const code = (folder === 'locks' ? this.locks : this.#bundles).get(hash);
      const allowed = request.headers.authorization === `Bearer ${WORKER_KEY}`;
      response.writeHead(!allowed ? 401 : code === undefined ? 404 : 200, { 'content-type': 'text/javascript' });
      response.end(code);
    });
    this.#io = new Server(this.#http, { transports: ['websocket'], maxHttpBufferSize: LIMITS.frameBytes });
    this.#io
      .of(WORKER_NAMESPACE)
      .use((socket, next) =>
        next(socket.handshake.auth.key === WORKER_KEY ? undefined : new Error('no worker has this key')),
      )
      .on('connection', socket => this.#serve(socket));
    this.#http.listen(this.#port, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  async #answerRecord(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'PUT') {
      const bytes = Buffer.concat(await request.toArray());
      this.recordProblems.set(id, new URL(request.url ?? '', this.url).searchParams.get('problem'));
      if (bytes.length > 0) this.records.set(id, bytes);
      response.writeHead(204).end();
      this.#changes.emit('change');
    } else {
      const record = this.records.get(id);
      response.writeHead(record ? 200 : 404).end(record);
    }
  }

  /** Closes every connection and stops listening, like a platform that is killed. */
  async close(): Promise<void> {
    this.#socket = undefined;
    await this.#io?.close();
  }

  /** Closes the worker's connection, but continues to listen. */
  cut(): void {
    this.#socket?.conn.close();
    this.#socket = undefined;
  }

  /** Whether the worker is connected and all its frames are answered. */
  get isSound(): boolean {
    return this.#socket?.connected === true && this.acknowledging && this.unanswered === null && !this.refusal;
  }

  /** Stops every live run. */
  async stopRuns(): Promise<void> {
    for (const id of this.#accepted) {
      if (this.finishes.has(id)) continue;
      await this.control({ id, cmd_seq: Number.MAX_SAFE_INTEGER, cmd: 'stop' });
      await this.ended(id);
    }
  }

  /** Forgets all earlier frames except the last hello. */
  forget(): void {
    this.hellos.splice(0, this.hellos.length - 1);
    for (const map of [this.finishes, this.chunks]) map.clear();
    for (const list of [this.beats, this.live, this.storage, this.states]) list.length = 0;
    this.#accepted.clear();
    this.connections = 1;
    this.chunkFrames = 0;
    this.frames.length = 0;
    this.welcome = { kill: [], forget: [], controls: [] };
    this.acknowledging = true;
    this.unanswered = null;
    this.refusal = null;
    this.mayRead = true;
  }

  async connected(): Promise<void> {
    await this.until(() => this.#socket?.connected === true, 'a worker that said hello');
  }

  /** Waits until `is` returns true. Calls it again after each frame of the worker. */
  async until(is: () => boolean, what: string, waitMs = WAIT_MS): Promise<void> {
    const deadline = AbortSignal.timeout(waitMs);
    while (!is()) {
      await once(this.#changes, 'change', { signal: deadline }).catch(() => {
        throw new Error(`Timed out after ${waitMs} ms: ${what}`);
      });
    }
  }

  /**
   * Offers the worker a run of a skript with these files. Resolves with the id of the run when the worker has accepted
   * it.
   */
  async start(files: Record<string, string> | string, options: Partial<Offer> = {}): Promise<string> {
    const id = randomUUID();
    const answer = await this.offer(id, files, options);
    if (!('accepted' in answer)) throw new Error(`The worker refused the run: ${answer.refused}`);
    this.#accepted.add(id);
    return id;
  }

  async offer(id: string, files: Record<string, string> | string, options: Partial<Offer> = {}): Promise<OfferAnswer> {
    const { hash, code } = await bundleOf(typeof files === 'string' ? { 'main.js': files } : files);
    this.#bundles.set(hash, code);
    await this.connected();
    this.#offers += 1;
    const offer: Offer = {
      n: this.#offers,
      id,
      skript: { id: randomUUID(), title: 'Test skript' },
      environment: 'nodejs',
      bundle: hash,
      lock: null,
      owner_id: OWNER,
      warm: false,
      input: null,
      input_secret: null,
      limits: { time_ms: 60_000, pause_ms: 3_600_000, output_bytes: LIMITS.outputBytes },
      ends_with_lease: false,
      token: 'token-of-the-run',
      ...this.extra,
      ...options,
    };
    this.#lastOffer = offer;
    return (this.#socket as WorkerSocket).emitWithAck('offer', offer);
  }

  /** Sends the last offer again, like a connection that duplicates messages. */
  sayLastOfferAgain(): void {
    this.#socket?.emit('offer', this.#lastOffer as Offer, () => {});
  }

  async control(control: Control): Promise<{ cmd_seq: number; action: string }> {
    return (this.#socket as WorkerSocket).emitWithAck('control', { ...this.extra, ...control });
  }

  async answer(answer: Answer): Promise<AnswerResult> {
    return (this.#socket as WorkerSocket).emitWithAck('answer', answer);
  }

  /** Requests a restart of the worker. Resolves when the worker has acknowledged the request. */
  async restart(mode: RestartMode): Promise<void> {
    await (this.#socket as WorkerSocket).emitWithAck('restart', { mode });
  }

  watch(id: string): void {
    this.#socket?.emit('watch', { id, on: true });
  }

  /** Watches a run, and waits for its first echo. The echo may be older than the watching. */
  async firstEcho(id: string): Promise<void> {
    this.watch(id);
    if ((await this.read(id, 1, 1)).length > 0) return;
    await this.until(() => this.live.some(batch => batch.id === id), 'the first echo');
  }

  async read(id: string, from_seq: number, limit: number): Promise<Echo[]> {
    return (await (this.#socket as WorkerSocket).emitWithAck('echo_read', { id, from_seq, limit })).items;
  }

  readExchanges(request: ExchangesRead): Promise<ExchangesPart> {
    return (this.#socket as WorkerSocket).emitWithAck('exchanges_read', request);
  }

  /** Waits for the result of a run and returns it. */
  async ended(id: string): Promise<Finish> {
    await this.until(() => this.finishes.has(id), `the finish of ${id}`);
    return this.finishes.get(id)?.[0] as Finish;
  }

  /** Executes a skript and returns the result of its run. */
  async run(files: Record<string, string> | string, options: Partial<Offer> = {}): Promise<Finish> {
    return this.ended(await this.start(files, options));
  }

  /** Waits for the end of a run and for all its chunks. Returns its echoes and checks that none is missing. */
  async echoes(id: string): Promise<Echo[]> {
    const { last_chunk, last_seq } = await this.ended(id);
    const saved = () => this.chunks.get(id) ?? new Map<number, EchoChunk>();
    await this.until(() => saved().size >= last_chunk, `${last_chunk} chunks of ${id}`);
    const echoes: Echo[] = [];
    for (let n = 1; n <= last_chunk; n += 1) {
      const chunk = saved().get(n) as EchoChunk;
      expect(createHash('sha256').update(chunk.gz).digest('hex')).toBe(chunk.sha);
      expect(chunk.from_seq).toBe(echoes.length + 1);
      const rows: Record<string, string>[] = parse(gunzipSync(chunk.gz), { columns: [...ECHO_CSV_COLUMNS] });
      echoes.push(...rows.map(row => ({ ...row, seq: Number(row.seq) }) as unknown as Echo));
      expect(chunk.to_seq).toBe(echoes.length);
    }
    expect(echoes).toHaveLength(last_seq);
    return echoes;
  }

  #serve(socket: WorkerSocket): void {
    this.connections += 1;
    for (const event of ['packet', 'packetCreate'] as const) {
      socket.conn.on(event, ({ type, data }: { type: string; data?: unknown }) => {
        if (type === 'message') this.frames.push(data);
      });
    }
    socket.on('hello', (frame, acknowledge) => {
      this.hellos.push(helloSchema.parse(frame));
      if (this.refusal) {
        acknowledge({ error: this.refusal });
        this.#changed();
        return;
      }
      this.#epoch += 1;
      this.#socket = socket;
      const { kill, forget, controls } = this.welcome;
      this.welcome = { kill: [], forget: [], controls: [] };
      const worker = { worker_id: randomUUID(), worker_name: 'test worker' };
      const welcome = {
        protocol: this.protocol,
        epoch: this.#epoch,
        ...worker,
        lease_ms: this.leaseMs,
        kill,
        forget,
        controls,
      };
      acknowledge({ ...this.extra, ...welcome });
      this.#changed();
    });
    this.#on(socket, 'beat', beatSchema, beat => {
      this.beats.push(beat);
      return { n: beat.n };
    });
    this.#on(socket, 'echo_chunk', echoChunkSchema, chunk => {
      this.chunkFrames += 1;
      this.#save(chunk);
      return { n: chunk.n };
    });
    this.#on(socket, 'finish', finishSchema, ({ chunk, ...finish }) => {
      const { id, epoch } = finish;
      if (chunk && this.protocol >= CHUNK_IN_FINISH_PROTOCOL)
        this.#save({ ...chunk, id, epoch, gz: Buffer.from(chunk.gz, 'base64') });
      const finishes = [...(this.finishes.get(finish.id) ?? []), finish];
      this.finishes.set(finish.id, finishes);
      return { result: finishes.length === 1 ? 'ok' : 'late', ...(this.mayRead && { may_read: true }) };
    });
    this.#on(socket, 'storage', storageSchema, frame => {
      this.storage.push(frame);
      return this.answerStorage(frame);
    });
    this.#on(socket, 'state', stateSchema, frame => {
      this.states.push(frame);
      return { seq: frame.seq };
    });
    socket.on('echo_live', frame => {
      this.live.push(echoLiveSchema.parse(frame));
      this.#changed();
    });
  }

  #save(chunk: EchoChunk): void {
    const chunks = this.chunks.get(chunk.id) ?? new Map<number, EchoChunk>();
    if (!chunks.has(chunk.n)) chunks.set(chunk.n, chunk);
    this.chunks.set(chunk.id, chunks);
  }

  #on<Frame extends { epoch: number }>(
    socket: WorkerSocket,
    event: 'beat' | 'echo_chunk' | 'finish' | 'state' | 'storage',
    schema: { parse(frame: unknown): Frame },
    answer: (frame: Frame) => unknown,
  ): void {
    const take = async (raw: unknown, acknowledge: (answer: unknown) => void) => {
      const frame = schema.parse(raw);
      if (frame.epoch !== this.#epoch) {
        acknowledge({ error: { code: 'stale_epoch', message: 'An older epoch; say hello again.' } });
        return;
      }
      const answered = await answer(frame);
      if (answered !== null && this.acknowledging && event !== this.unanswered) acknowledge(answered);
      this.#changed();
    };
    (socket as unknown as { on(event: string, listener: typeof take): void }).on(event, take);
  }

  /** Makes this platform refuse the worker's next frame as stale, as if the lease had ended. */
  raiseEpoch(): void {
    this.#epoch += 1;
  }

  #changed(): void {
    this.#changes.emit('change');
  }
}
