import { setTimeout as delay } from 'node:timers/promises';
import {
  type BackendToWorker,
  type Beat,
  type FrameRefusal,
  type Hello,
  LEASE_MS,
  leaseTimes,
  PROTOCOL,
  protocolProblem,
  type Welcome,
  WORKER_NAMESPACE,
  type WorkerToBackend,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { Decoder } from 'socket.io-parser';
import { ByteSemaphore } from './byte-semaphore.js';
import { FrameEncoder, LiveFrame } from './frame-encoder.js';
import { FrameRefused } from './frame-refused.js';

export interface ConnectionHandlers {
  hello(): Hello;
  welcome(welcome: Welcome): void;
  /** Called when another process has the worker's lease, so that the platform has ended all runs of this one. */
  superseded(): void;
  /**
   * Called when the platform has answered a frame. The lease begins at the time when the worker sent the frame.
   *
   * @param sentAt when the worker sent the frame, by `performance.now()`
   * @param silenceMs how long the platform may be silent before the worker ends runs that have retries left
   */
  answered(sentAt: number, silenceMs: number): void;
  load(): Pick<Beat, 'slots' | 'free' | 'load' | 'usage' | 'writes'>;
  offer: BackendToWorker['offer'];
  control: BackendToWorker['control'];
  answer: BackendToWorker['answer'];
  watch: BackendToWorker['watch'];
  echoRead: BackendToWorker['echo_read'];
  exchangesRead: BackendToWorker['exchanges_read'];
  restart: BackendToWorker['restart'];
}

export type Deliverable = 'state' | 'echo_chunk' | 'storage' | 'postgres' | 'finish';
export type Frame<Event extends Deliverable> = Omit<Parameters<WorkerToBackend[Event]>[0], 'epoch'>;
export type Acknowledged<Event extends Deliverable> = Exclude<
  Parameters<Parameters<WorkerToBackend[Event]>[1]>[0],
  { error: unknown }
>;

const RETRY_MS = 1_000;
/** After each failure of the platform to handle a frame, the delay doubles, up to this time. */
const MAX_RETRY_MS = 30_000;
/** If the platform fails this often to handle a frame although its database is there, the worker gives the frame up: after two minutes. */
const MAX_FAILURES = 9;
/** When this many frames are in the socket's queue, the worker sends no echoes for live views. */
const MAX_QUEUED = 4;
/** Maximum size of all echo chunks that are being sent at the same time, in bytes. A larger chunk is sent alone. */
const CHUNK_BYTES = 512 * 1024;
/**
 * When the platform has not answered this many beats, the connection counts as dead even if it is open. What is left of
 * the lease is long enough to connect again.
 */
const MAX_UNANSWERED_BEATS = 2;

/**
 * The worker's connection to the platform. It connects, sends hello and renews the lease. It sends each frame until the
 * platform acknowledges it, and reconnects for that if necessary.
 */
export class Connection {
  readonly #socket: Socket<BackendToWorker, WorkerToBackend>;
  readonly #handlers: ConnectionHandlers;
  readonly #url: string;
  readonly #log: Logger;
  #epoch: number | null = null;
  /** The times of the lease from the last welcome. */
  #lease = leaseTimes(LEASE_MS);
  /**
   * Frames that the platform has not answered yet, each with the number of the last beat that was sent before it. The
   * key is the function that ends the wait for the answer.
   */
  readonly #unanswered = new Map<() => void, { event: Deliverable; beat: number }>();
  readonly #chunkSemaphore = new ByteSemaphore(CHUNK_BYTES);
  readonly #welcomeWaiters = new Set<() => void>();
  #beatTimer: NodeJS.Timeout | undefined;
  #beats = 0;
  /** Number of the last offer that came over this connection. */
  #lastOffer = 0;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #lastProblem = '';
  #protocol = PROTOCOL;

  constructor(url: string, key: string, handlers: ConnectionHandlers, log: Logger) {
    this.#handlers = handlers;
    this.#url = url;
    this.#log = log;
    this.#socket = io(`${url}${WORKER_NAMESPACE}`, {
      transports: ['websocket'],
      auth: { key },
      parser: { Encoder: FrameEncoder, Decoder },
      autoConnect: false,
      reconnectionDelay: 100,
      reconnectionDelayMax: 1_000,
      timeout: 5_000,
    });
    this.#socket.on('connect', () => {
      this.#lastOffer = 0;
      void this.#sendHello();
    });
    this.#socket.on('disconnect', reason => this.#disconnected(reason));
    this.#socket.on('connect_error', error => this.#connectFailed(error.message));
    this.#socket.on('offer', (offer, ack) => {
      if (offer.n <= this.#lastOffer) return;
      this.#lastOffer = offer.n;
      handlers.offer(offer, ack);
    });
    this.#socket.on('control', (control, ack) => handlers.control(control, ack));
    this.#socket.on('answer', (answer, ack) => handlers.answer(answer, ack));
    this.#socket.on('watch', watch => handlers.watch(watch));
    this.#socket.on('echo_read', (request, ack) => handlers.echoRead(request, ack));
    this.#socket.on('exchanges_read', (request, ack) => handlers.exchangesRead(request, ack));
    this.#socket.on('restart', (restart, ack) => handlers.restart(restart, ack));
  }

  /** The version of the protocol that worker and platform speak, as the last welcome says. */
  get protocol(): number {
    return this.#protocol;
  }

  open(): void {
    this.#socket.connect();
  }

  close(): void {
    this.#closed = true;
    this.#endEpoch();
    clearTimeout(this.#reconnectTimer);
    this.#socket.disconnect();
  }

  /**
   * Sends a frame until the platform acknowledges it.
   *
   * @param frame builds the frame for each attempt; its argument is true if the platform may have handled an earlier
   *   attempt, because it was sent and got no answer
   * @throws FrameRefused when the platform refuses the frame for good, or fails each time to handle it; the signal's reason
   *   when that is aborted. The result of a run is never given up.
   */
  async deliver<Event extends Deliverable>(
    event: Event,
    frame: (isResend: boolean) => Frame<Event>,
    signal?: AbortSignal,
  ): Promise<Acknowledged<Event>> {
    let isResend = false;
    let failures = 0;
    for (;;) {
      const epoch = await this.#untilWelcome(signal);
      const answer = await this.#send(event, { ...frame(isResend), epoch });
      signal?.throwIfAborted();
      if (answer === 'not sent') continue;
      if (answer === 'lost') {
        isResend = true;
        continue;
      }
      if (!('error' in answer)) return answer as Acknowledged<Event>;
      // After these two refusals, the platform has done nothing with the frame.
      if (answer.error.code === 'stale_epoch') this.#renewEpoch(epoch);
      else if (answer.error.code !== 'unavailable') throw new FrameRefused(answer.error);
      else {
        // During an outage, the frame waits as long as it takes.
        if (answer.error.is_outage === false) failures += 1;
        if (failures >= MAX_FAILURES && event !== 'finish') throw new FrameRefused(answer.error);
        await delay(Math.min(RETRY_MS * 2 ** Math.max(0, failures - 1), MAX_RETRY_MS));
      }
    }
  }

  /**
   * Delivers a chunk of echoes. Limits how many bytes of chunks are sent at the same time, so that they do not delay
   * heartbeats.
   */
  async deliverChunk(chunk: Frame<'echo_chunk'>): Promise<void> {
    const release = await this.#chunkSemaphore.take(chunk.gz.byteLength);
    try {
      await this.deliver('echo_chunk', () => chunk);
    } finally {
      release();
    }
  }

  /**
   * Sends echoes to users who watch the run live. Drops them when there is no connection: all echoes are also delivered
   * in chunks.
   *
   * @param items JSON texts, each of one or more echoes with commas between them
   * @returns false while earlier batches are still queued
   */
  show(id: string, fromSeq: number, items: string[]): boolean {
    if (this.#epoch === null || !this.#socket.connected) return true;
    if (this.#socket.io.engine.writeBuffer.length >= MAX_QUEUED) return false;
    this.#socket.emit('echo_live', new LiveFrame(id, fromSeq, items, this.#epoch) as never);
    return true;
  }

  /** Sends a frame once. Resolves with `lost` when the connection or its epoch ends before the answer. */
  async #send(event: Deliverable, frame: object): Promise<FrameRefusal | object | 'lost' | 'not sent'> {
    if (!this.#socket.connected) return 'not sent';
    const socket = this.#socket as unknown as {
      emit(event: string, frame: object, acknowledge: (answer: object) => void): void;
    };
    // Do not use a promise for the epoch's end and `Promise.race`: every answer would stay in memory until the epoch
    // ends.
    return new Promise(resolve => {
      const giveUp = () => resolve('lost');
      this.#unanswered.set(giveUp, { event, beat: this.#beats });
      socket.emit(event, frame, answer => {
        this.#unanswered.delete(giveUp);
        resolve(answer);
      });
    });
  }

  async #untilWelcome(signal?: AbortSignal): Promise<number> {
    while (this.#epoch === null) {
      signal?.throwIfAborted();
      await new Promise<void>(resolve => {
        const wake = () => {
          this.#welcomeWaiters.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        this.#welcomeWaiters.add(wake);
        signal?.addEventListener('abort', wake);
      });
    }
    signal?.throwIfAborted();
    return this.#epoch;
  }

  async #sendHello(): Promise<void> {
    this.#endEpoch();
    const hello = this.#handlers.hello();
    const sentAt = performance.now();
    let answer: Welcome | FrameRefusal;
    try {
      answer = await this.#socket.timeout(this.#lease.helloMs).emitWithAck('hello', hello);
    } catch {
      this.#reconnect('the platform did not answer hello');
      return;
    }
    if ('error' in answer) {
      if (answer.error.code === 'worker_in_use') this.#handlers.superseded();
      this.#reconnect(`the platform refused hello: ${answer.error.message}`);
      return;
    }
    const problem = protocolProblem({ worker: hello.protocol, platform: answer.protocol });
    if (problem) {
      this.#reconnect(problem);
      return;
    }
    this.#protocol = answer.protocol;
    this.#lastProblem = '';
    this.#lease = leaseTimes(answer.lease_ms);
    this.#handlers.answered(sentAt, this.#lease.silenceMs);
    this.#handlers.welcome(answer);
    this.#epoch = answer.epoch;
    this.#log.info({ epoch: answer.epoch, worker: answer.worker_name }, 'connected to the platform');
    for (const wake of this.#welcomeWaiters) wake();
    this.#startBeats();
  }

  #startBeats(): void {
    const send = () => {
      const epoch = this.#epoch;
      if (epoch === null) return;
      // Count unanswered beats instead of measuring the time: if the worker hung, answers may have arrived in time but
      // are still unread.
      if (this.#beats - answered >= MAX_UNANSWERED_BEATS) {
        this.#reconnect('the platform does not answer beats', 0);
        return;
      }
      const overdue = this.#overdue();
      if (overdue) {
        this.#reconnect(`the platform does not answer ${overdue}`, 0);
        return;
      }
      this.#beats += 1;
      const n = this.#beats;
      const sentAt = performance.now();
      this.#socket.emit('beat', { epoch, n, ...this.#handlers.load() }, answer => {
        answered = n;
        if (!('error' in answer)) this.#handlers.answered(sentAt, this.#lease.silenceMs);
        else if (answer.error.code === 'stale_epoch') this.#renewEpoch(epoch);
      });
    };
    let answered = this.#beats;
    clearInterval(this.#beatTimer);
    this.#beatTimer = setInterval(send, this.#lease.heartbeatMs);
    send();
  }

  /**
   * Returns the kind of a frame whose answer is overdue; the worker then reconnects and sends the frame again. Ignores
   * storage operations: a user's database may take long, and repeating an operation may do harm.
   */
  #overdue(): Deliverable | undefined {
    for (const { event, beat } of this.#unanswered.values()) {
      if (event !== 'storage' && event !== 'postgres' && this.#beats - beat > MAX_UNANSWERED_BEATS) return event;
    }
    return undefined;
  }

  #renewEpoch(epoch: number): void {
    if (this.#epoch !== epoch) return;
    void this.#sendHello();
  }

  #disconnected(reason: string): void {
    this.#endEpoch();
    if (this.#closed) return;
    this.#log.warn({ reason }, 'connection to the platform lost; reconnecting');
    // Socket.IO reconnects by itself after all other reasons.
    if (reason === 'io server disconnect' || reason === 'io client disconnect') this.#reconnectIn();
  }

  #connectFailed(message: string): void {
    if (message !== this.#lastProblem)
      this.#log.warn({ url: this.#url, reason: message }, 'cannot reach the platform; retrying');
    this.#lastProblem = message;
    if (!this.#socket.active) this.#reconnectIn();
  }

  #reconnect(reason: string, afterMs = RETRY_MS): void {
    if (this.#closed) return;
    if (reason !== this.#lastProblem) this.#log.warn({ reason }, 'reconnecting to the platform');
    this.#lastProblem = reason;
    this.#endEpoch();
    this.#socket.disconnect();
    this.#reconnectIn(afterMs);
  }

  #reconnectIn(afterMs = RETRY_MS): void {
    clearTimeout(this.#reconnectTimer);
    this.#reconnectTimer = setTimeout(() => this.#socket.connect(), afterMs);
  }

  #endEpoch(): void {
    this.#epoch = null;
    for (const giveUp of this.#unanswered.keys()) giveUp();
    this.#unanswered.clear();
    clearInterval(this.#beatTimer);
  }
}
