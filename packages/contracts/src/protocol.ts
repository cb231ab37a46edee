/**
 * The worker protocol: what a worker (W) and the backend (B) say to each other over Socket.IO.
 *
 * The worker dials out to `WORKER_NAMESPACE` with `auth: { key }`. Every frame but `hello` carries the `epoch` that the
 * last `welcome` gave; the backend drops frames with an older one. Frames are acknowledged after the commit. A frame
 * that is refused is acknowledged with `{ error: { code, message } }`.
 */
import { z } from 'zod';
import { ECHO_TYPES } from './echoes.js';
import {
  type Action,
  ENVIRONMENTS,
  FINAL_ACTIONS,
  type RestartMode,
  RUN_WAITS,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
} from './executions.js';
import { LIMITS } from './limits.js';
import { storageOperationSchema } from './storage-operations.js';

export const WORKER_NAMESPACE = '/worker';

const id = z.uuid();
const epoch = z.int().nonnegative();
/** PostgreSQL's `integer`. */
const seq = z.int32().nonnegative();
/** PostgreSQL keeps no NUL in a text. */
const text = z.string().regex(/^[^\0]*$/, 'must not contain NUL');

export const echoSchema = z.strictObject({
  type: z.enum(ECHO_TYPES),
  msg: z.string(),
  time: z.iso.datetime(),
  seq,
});

/** W→B, first after each connection. `live`: runs under way on this boot; `done`: ended runs whose finish was not acknowledged. */
export const helloSchema = z.strictObject({
  version: text.min(1).max(40),
  boot_id: id,
  environments: z.array(z.enum(ENVIRONMENTS)),
  sandbox: z.enum(SANDBOX_LEVELS),
  sandbox_layers: z
    .array(z.strictObject({ name: z.enum(SANDBOX_LAYERS), holds: z.boolean(), note: text.max(500) }))
    .max(SANDBOX_LAYERS.length),
  slots: z.int().min(1).max(1024),
  live: z.array(id).max(4096),
  done: z.array(id).max(4096),
});
export type Hello = z.infer<typeof helloSchema>;

export const COMMANDS = ['stop', 'pause', 'resume'] as const;
export type Command = (typeof COMMANDS)[number];

/** B→W. The highest `cmd_seq` of a run wins; a lower one is ignored. Acknowledged with a `ControlAnswer` once it is done. */
export interface Control {
  id: string;
  cmd_seq: number;
  cmd: Command;
}
/** `action`: what the run is in afterwards. `refused`: why it cannot be paused there. */
export interface ControlAnswer {
  cmd_seq: number;
  action: Action;
  refused?: string;
}

/**
 * B→W: take no more runs, let those under way end or end them, and come back as a new process, that is with another
 * `boot_id`. Sent again on every connection of this boot. `stop` after `drain` ends what is still running.
 */
export interface Restart {
  mode: RestartMode;
}

/** Answer to `hello`. `kill`: runs that ended meanwhile; `forget`: done runs whose finish is already committed. */
export interface Welcome {
  epoch: number;
  worker_id: string;
  worker_name: string;
  lease_ms: number;
  kill: string[];
  forget: string[];
  controls: Control[];
}

/** W→B every `HEARTBEAT_MS`; acknowledged with `{ n }`. `load` is the one-minute load divided by the cores. */
export const beatSchema = z.strictObject({ epoch, n: z.int(), free: z.int32().nonnegative(), load: z.number() });
export type Beat = z.infer<typeof beatSchema>;

/** B→W. The worker fetches the bundle by its hash from `GET /worker-api/bundles/{hash}` with its key. `input` and `input_secret` are JSON text. */
export interface Offer {
  /** Counts the offers of a connection from 1: one that comes twice is taken once, also when it was refused. */
  n: number;
  id: string;
  skript: { id: string; title: string };
  environment: (typeof ENVIRONMENTS)[number];
  bundle: string;
  /** Hash of the lock of its npm libraries, which the worker fetches from `GET /worker-api/locks/{hash}`; null without any. */
  lock: string | null;
  /** Whose run it is. */
  owner_id: string;
  /** The process may be kept for the next run of the same owner, bundle, lock, secret and limits. */
  warm: boolean;
  input: string | null;
  input_secret: string | null;
  limits: { time_ms: number; output_bytes: number };
  /** The run may be tried again elsewhere once the lease is over, so the worker ends it after `SILENCE_MS`. */
  ends_with_lease: boolean;
  /** Proves to the backend that a storage operation belongs to this run on this boot of this worker. */
  token: string;
}
export type OfferAnswer = { accepted: true } | { refused: 'full' | 'draining' | 'environment' | 'silent' };

/** W→B, one after the other for each run: what a run under way waits for; null when nothing. Acknowledged with `{ seq }`. */
export const stateSchema = z.strictObject({ epoch, id, seq, waiting_for: z.enum(RUN_WAITS).nullable() });
export type RunState = z.infer<typeof stateSchema>;

/** B→W: begin or end sending live echoes of a run. No acknowledgement. */
export interface Watch {
  id: string;
  on: boolean;
}

/** W→B, no acknowledgement: a view, which may lose batches under pressure. */
export const echoLiveSchema = z.strictObject({ epoch, id, from_seq: seq, items: z.array(echoSchema).max(5_000) });
export type EchoLive = z.infer<typeof echoLiveSchema>;

/** B→W: what the worker still has that is not in a committed chunk. Acknowledged with `EchoPage`. */
export interface EchoRead {
  id: string;
  from_seq: number;
  limit: number;
}
export interface EchoPage {
  items: z.infer<typeof echoSchema>[];
}

/**
 * W→B. `gz` is gzipped CSV without a header line, columns `ECHO_CSV_COLUMNS`, of the echoes `from_seq`…`to_seq`;
 * `sha` is the SHA-256 of `gz` in hex. Unique by `(id, n)`, `n` from 1; a repeat is acknowledged and ignored.
 */
export const echoChunkSchema = z.strictObject({
  epoch,
  id,
  n: z.int32().positive(),
  from_seq: seq,
  to_seq: seq,
  gz: z.instanceof(Uint8Array).refine(gz => gz.byteLength <= LIMITS.frameBytes - 4_096, 'larger than a frame'),
  sha: z.string().length(64),
});
export type EchoChunk = z.infer<typeof echoChunkSchema>;

/** W→B; acknowledged with a `StorageAnswer`. */
export const storageSchema = z.strictObject({
  epoch,
  id,
  op_id: z.int().nonnegative(),
  token: z.string().max(200),
  op: storageOperationSchema,
});
export type StorageFrame = z.infer<typeof storageSchema>;

/** W→B. `output` is JSON text. Acknowledged with `{ result }`; the worker forgets the run after it and all its chunks are acknowledged. */
export const finishSchema = z.strictObject({
  epoch,
  id,
  action: z.enum(FINAL_ACTIONS),
  output: text.max(LIMITS.outputBytes).nullable(),
  error_code: text.max(60).nullable(),
  error_stack: text.max(LIMITS.errorStackChars + 200).nullable(),
  last_seq: seq,
  last_chunk: z.int32().nonnegative(),
});
export type Finish = z.infer<typeof finishSchema>;
/** `ok`: this ended the run; `late`: it had ended already and nothing changed. */
export interface FinishAnswer {
  result: 'ok' | 'late';
}

/** Any frame may be answered with this instead. `stale_epoch`: say hello again. */
export interface FrameRefusal {
  error: { code: 'stale_epoch' | 'invalid_frame' | 'unknown_run' | 'unavailable'; message: string };
}

/** Events that a worker sends, with the acknowledgement's shape. */
export interface WorkerToBackend {
  hello: (frame: Hello, ack: (answer: Welcome | FrameRefusal) => void) => void;
  beat: (frame: Beat, ack: (answer: { n: number } | FrameRefusal) => void) => void;
  state: (frame: RunState, ack: (answer: { seq: number } | FrameRefusal) => void) => void;
  echo_live: (frame: EchoLive) => void;
  echo_chunk: (frame: EchoChunk, ack: (answer: { n: number } | FrameRefusal) => void) => void;
  storage: (
    frame: StorageFrame,
    ack: (answer: { result: string } | { error: { code: string; message: string } }) => void,
  ) => void;
  finish: (frame: Finish, ack: (answer: FinishAnswer | FrameRefusal) => void) => void;
}

/** Events that the backend sends to a worker. */
export interface BackendToWorker {
  offer: (offer: Offer, ack: (answer: OfferAnswer) => void) => void;
  control: (control: Control, ack: (answer: ControlAnswer) => void) => void;
  watch: (watch: Watch) => void;
  restart: (restart: Restart, ack: (answer: { restarting: true }) => void) => void;
  echo_read: (request: EchoRead, ack: (page: EchoPage) => void) => void;
}
