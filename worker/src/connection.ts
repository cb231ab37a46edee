import {
  type BackendToWorker,
  type FrameRefusal,
  HEARTBEAT_MS,
  type Hello,
  type Welcome,
  WORKER_NAMESPACE,
  type WorkerToBackend,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { LineRoom } from './line-room.js';

/** The platform said no to a frame, and would again: sending it once more is of no use. */
export class FrameRefused extends Error {
  constructor(
    readonly code: FrameRefusal['error']['code'] | string,
    message: string,
  ) {
    super(message);
  }
}

export interface ConnectionHandlers {
  hello(): Hello;
  welcome(welcome: Welcome): void;
  /** The platform has answered what was said at this time, by `performance.now()`: the lease runs from then. */
  heard(at: number): void;
  load(): { free: number; load: number };
  offer: BackendToWorker['offer'];
  control: BackendToWorker['control'];
  watch: BackendToWorker['watch'];
  echoRead: BackendToWorker['echo_read'];
  restart: BackendToWorker['restart'];
}

type Deliverable = 'state' | 'echo_chunk' | 'storage' | 'finish';
type Frame<Event extends Deliverable> = Omit<Parameters<WorkerToBackend[Event]>[0], 'epoch'>;
type Acknowledged<Event extends Deliverable> = Exclude<
  Parameters<Parameters<WorkerToBackend[Event]>[1]>[0],
  { error: unknown }
>;

const RETRY_MS = 1_000;
/** Frames that wait for the line before views are held back. */
const MAX_QUEUED = 4;
/** Of chunks of echoes that are on their way at once; a larger one goes alone. */
const CHUNK_BYTES = 512 * 1024;
/** With so many the line is dead although no one closed it. What is left of the lease, and of the silence, is enough for another. */
const MAX_UNANSWERED_BEATS = 2;
/** A hello that got lost must leave time for another one. */
const HELLO_MS = 5_000;

/**
 * The worker's line to the platform: dials out, says hello, keeps the lease, and gives every frame until it is
 * acknowledged, over as many connections as that takes.
 */
export class Connection {
  readonly #socket: Socket<BackendToWorker, WorkerToBackend>;
  readonly #handlers: ConnectionHandlers;
  readonly #url: string;
  readonly #log: Logger;
  #epoch: number | null = null;
  /** For each frame that is not answered yet, by what gives it up when the epoch ends: the last beat before it. */
  readonly #unanswered = new Map<() => void, { event: Deliverable; beat: number }>();
  readonly #chunkRoom = new LineRoom(CHUNK_BYTES);
  readonly #waitingForWelcome = new Set<() => void>();
  #beat: NodeJS.Timeout | undefined;
  #beats = 0;
  /** Of this connection. */
  #lastOffer = 0;
  #redial: NodeJS.Timeout | undefined;
  #closed = false;
  #complained = '';

  constructor(url: string, key: string, handlers: ConnectionHandlers, log: Logger) {
    this.#handlers = handlers;
    this.#url = url;
    this.#log = log;
    this.#socket = io(`${url}${WORKER_NAMESPACE}`, {
      transports: ['websocket'],
      auth: { key },
      autoConnect: false,
      reconnectionDelay: 100,
      reconnectionDelayMax: 1_000,
      timeout: 5_000,
    });
    this.#socket.on('connect', () => {
      this.#lastOffer = 0;
      void this.#sayHello();
    });
    this.#socket.on('disconnect', reason => this.#lost(reason));
    this.#socket.on('connect_error', error => this.#notConnected(error.message));
    this.#socket.on('offer', (offer, ack) => {
      if (offer.n <= this.#lastOffer) return;
      this.#lastOffer = offer.n;
      handlers.offer(offer, ack);
    });
    this.#socket.on('control', (control, ack) => handlers.control(control, ack));
    this.#socket.on('watch', watch => handlers.watch(watch));
    this.#socket.on('echo_read', (request, ack) => handlers.echoRead(request, ack));
    this.#socket.on('restart', (restart, ack) => handlers.restart(restart, ack));
  }

  open(): void {
    this.#socket.connect();
  }

  close(): void {
    this.#closed = true;
    this.#silence();
    clearTimeout(this.#redial);
    this.#socket.disconnect();
  }

  /**
   * Gives one frame until it is acknowledged. `frame` is asked anew for each sending, and told how many went before.
   *
   * @throws FrameRefused when the platform refuses it for good; the signal's reason when it is given up.
   */
  async deliver<Event extends Deliverable>(
    event: Event,
    frame: (sendings: number) => Frame<Event>,
    signal?: AbortSignal,
  ): Promise<Acknowledged<Event>> {
    let sendings = 0;
    for (;;) {
      const epoch = await this.#welcomed(signal);
      const answer = await this.#ask(event, { ...frame(sendings), epoch });
      signal?.throwIfAborted();
      sendings += 1;
      if (answer === null) continue;
      if (!('error' in answer)) return answer as Acknowledged<Event>;
      const { code, message } = answer.error;
      if (code === 'stale_epoch') this.#outdated(epoch);
      else if (code === 'unavailable') await pause(RETRY_MS);
      else throw new FrameRefused(code, message);
    }
  }

  /** A chunk of saved echoes, as `deliver`; many at once wait for each other, so that heartbeats come through. */
  async deliverChunk(chunk: Frame<'echo_chunk'>): Promise<void> {
    const arrived = await this.#chunkRoom.take(chunk.gz.byteLength);
    try {
      await this.deliver('echo_chunk', () => chunk);
    } finally {
      arrived();
    }
  }

  /**
   * A view, not a record: dropped when there is no connection.
   * @returns false while the last batches are still on their way.
   */
  show(frame: Omit<Parameters<WorkerToBackend['echo_live']>[0], 'epoch'>): boolean {
    if (this.#epoch === null || !this.#socket.connected) return true;
    if (this.#socket.io.engine.writeBuffer.length >= MAX_QUEUED) return false;
    this.#socket.emit('echo_live', { ...frame, epoch: this.#epoch });
    return true;
  }

  /** Null when the connection, or its epoch, ended before the answer came. */
  async #ask(event: Deliverable, frame: object): Promise<{ error: { code: string; message: string } } | object | null> {
    if (!this.#socket.connected) return null;
    const socket = this.#socket as unknown as {
      emit(event: string, frame: object, acknowledge: (answer: object) => void): void;
    };
    // A race against one promise of the whole epoch would keep every answer in memory until the epoch ends.
    return new Promise(resolve => {
      const giveUp = () => resolve(null);
      this.#unanswered.set(giveUp, { event, beat: this.#beats });
      socket.emit(event, frame, answer => {
        this.#unanswered.delete(giveUp);
        resolve(answer);
      });
    });
  }

  async #welcomed(signal?: AbortSignal): Promise<number> {
    while (this.#epoch === null) {
      signal?.throwIfAborted();
      await new Promise<void>(resolve => {
        const wake = () => {
          this.#waitingForWelcome.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        this.#waitingForWelcome.add(wake);
        signal?.addEventListener('abort', wake);
      });
    }
    signal?.throwIfAborted();
    return this.#epoch;
  }

  async #sayHello(): Promise<void> {
    this.#silence();
    const hello = this.#handlers.hello();
    const saidAt = performance.now();
    let answer: Welcome | FrameRefusal;
    try {
      answer = await this.#socket.timeout(HELLO_MS).emitWithAck('hello', hello);
    } catch {
      this.#dialAgain('the platform did not answer hello');
      return;
    }
    if ('error' in answer) {
      this.#dialAgain(`the platform refused hello: ${answer.error.message}`);
      return;
    }
    this.#complained = '';
    this.#handlers.heard(saidAt);
    this.#handlers.welcome(answer);
    this.#epoch = answer.epoch;
    this.#log.info({ epoch: answer.epoch, worker: answer.worker_name }, 'connected to the platform');
    for (const wake of this.#waitingForWelcome) wake();
    this.#keepLease();
  }

  #keepLease(): void {
    const send = () => {
      const epoch = this.#epoch;
      if (epoch === null) return;
      // Counted, not timed: a worker that was stalled has all its time run out before it reads the answers that are there.
      if (this.#beats - answered >= MAX_UNANSWERED_BEATS) {
        this.#dialAgain('the platform does not answer beats', 0);
        return;
      }
      const overdue = this.#overdue();
      if (overdue) {
        this.#dialAgain(`the platform does not answer ${overdue}`, 0);
        return;
      }
      this.#beats += 1;
      const n = this.#beats;
      const saidAt = performance.now();
      this.#socket.emit('beat', { epoch, n, ...this.#handlers.load() }, answer => {
        answered = n;
        if (!('error' in answer)) this.#handlers.heard(saidAt);
        else if (answer.error.code === 'stale_epoch') this.#outdated(epoch);
      });
    };
    let answered = this.#beats;
    clearInterval(this.#beat);
    this.#beat = setInterval(send, HEARTBEAT_MS);
    send();
  }

  /**
   * A frame that the platform should have answered by now; everything is given again over the next connection. What an
   * operation of the user's own database takes is not known here, and to repeat one that is under way may do harm.
   */
  #overdue(): Deliverable | undefined {
    for (const { event, beat } of this.#unanswered.values()) {
      if (event !== 'storage' && this.#beats - beat > MAX_UNANSWERED_BEATS) return event;
    }
    return undefined;
  }

  #outdated(epoch: number): void {
    if (this.#epoch !== epoch) return;
    void this.#sayHello();
  }

  #lost(reason: string): void {
    this.#silence();
    if (this.#closed) return;
    this.#log.warn({ reason }, 'connection to the platform lost; dialling again');
    // The client dials again by itself after all but these two.
    if (reason === 'io server disconnect' || reason === 'io client disconnect') this.#dialSoon();
  }

  #notConnected(message: string): void {
    if (message !== this.#complained)
      this.#log.warn({ url: this.#url, reason: message }, 'cannot reach the platform; trying on');
    this.#complained = message;
    if (!this.#socket.active) this.#dialSoon();
  }

  #dialAgain(reason: string, afterMs = RETRY_MS): void {
    if (this.#closed) return;
    if (reason !== this.#complained) this.#log.warn({ reason }, 'dialling again');
    this.#complained = reason;
    this.#silence();
    this.#socket.disconnect();
    this.#dialSoon(afterMs);
  }

  #dialSoon(afterMs = RETRY_MS): void {
    clearTimeout(this.#redial);
    this.#redial = setTimeout(() => this.#socket.connect(), afterMs);
  }

  #silence(): void {
    this.#epoch = null;
    for (const giveUp of this.#unanswered.keys()) giveUp();
    this.#unanswered.clear();
    clearInterval(this.#beat);
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
