/**
 * The worker protocol: the frames that a worker (W) and the backend (B) exchange over Socket.IO.
 *
 * The worker connects to `WORKER_NAMESPACE` with `auth: { key }`. Every frame except `hello` carries the `epoch` of the
 * last `Welcome`; the backend ignores frames with an older epoch. The backend acknowledges a frame after committing its
 * effects, or with `{ error: { code, message } }` if it refuses the frame.
 *
 * Both sides ignore fields that they do not know, so that one of them may be newer. Only the operations inside `storage`
 * and `postgres` frames are strict: an option that the backend ignored could change the wrong rows.
 */
import * as z from 'zod';
import { ECHO_TYPES } from '../echoes/echoes.js';
import {
  type Action,
  ENVIRONMENTS,
  FINAL_ACTIONS,
  type OnMiss,
  type RestartMode,
  RUN_WAITS,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
} from '../executions.js';
import { LIMITS } from '../limits/limits.js';
import { type PostgresAnswer, postgresOperationSchema } from '../storage/postgres-operations.js';
import { runOperationSchema, type StorageAnswer } from '../storage/storage-operations.js';
import { writesSchema } from '../storage/writes.js';
import { MAX_LIVE_ECHOES } from './live-echoes.js';
import { requestsSchema, usageSchema } from './run-usage.js';

export const WORKER_NAMESPACE = '/worker';

const id = z.uuid();
const epoch = z.int().nonnegative();
/** A number that fits in PostgreSQL's type `integer`. */
const seq = z.int32().nonnegative();
/** Text without the NUL character, because PostgreSQL cannot store that in a text. */
const text = z.string().regex(/^[^\0]*$/, 'must not contain NUL');
/** Number of runs that a worker takes at once. */
const slots = z.int().min(1).max(1024);

export const echoSchema = z.object({
  type: z.enum(ECHO_TYPES),
  msg: z.string(),
  time: z.iso.datetime(),
  seq,
});

/**
 * W→B, the first frame of each connection. `protocol`: the version that the worker speaks. `previous_boot_id`: the last boot from the same data folder that got a
 * welcome. The folder is locked, so that boot has ended, and the backend gives its lease to this one at once. `live`:
 * live runs of this boot; `done`: ended runs whose `finish` frame has no acknowledgement yet.
 */
export const helloSchema = z.object({
  protocol: z.int().nonnegative(),
  version: text.min(1).max(40),
  boot_id: id,
  previous_boot_id: id.nullable().default(null),
  environments: z.array(z.enum(ENVIRONMENTS)),
  /** Version of the Chromium for runs, such as `143.0.7499.40`. */
  chromium: text.max(100).nullable().default(null),
  /** Versions of Node that run skripts, such as `24.21.0`, the default first. Empty from a worker that does not send them. */
  nodes: z.array(text.min(1).max(40)).max(8).default([]),
  sandbox: z.enum(SANDBOX_LEVELS),
  sandbox_layers: z
    .array(z.object({ name: z.enum(SANDBOX_LAYERS), holds: z.boolean(), note: text.max(500) }))
    .max(SANDBOX_LAYERS.length),
  slots,
  live: z.array(id).max(4096),
  done: z.array(id).max(4096),
});
export type Hello = z.infer<typeof helloSchema>;

export const COMMANDS = ['stop', 'pause', 'resume'] as const;
export type Command = (typeof COMMANDS)[number];

/**
 * B→W. The command with the highest `cmd_seq` of a run counts; the worker ignores commands with a lower one. The worker
 * acknowledges a command with a `ControlAnswer` when it has carried it out.
 */
export interface Control {
  id: string;
  cmd_seq: number;
  cmd: Command;
}
/** `action`: the run's action after the command. `refused`: the reason, if this worker cannot pause the run. */
export interface ControlAnswer {
  cmd_seq: number;
  action: Action;
  refused?: string;
}

/**
 * B→W: the answer to the question that a run sent as echo `seq`. The worker acknowledges it with an `AnswerResult`. The
 * first valid answer counts. The backend repeats the frame until then, with the same `key`.
 */
export interface Answer {
  id: string;
  seq: number;
  answer: string;
  key: string;
}
/**
 * `closed`: the question has another answer, or the skript no longer waits for one. `unknown`: the run has sent no such question.
 * `not_a_choice`: only one of the choices is a valid answer.
 */
export interface AnswerResult {
  result: 'accepted' | 'closed' | 'unknown' | 'not_a_choice';
}

/**
 * B→W: accept no more runs, let the live ones end (`drain`) or end them (`stop`), then restart as a new process with a
 * new `boot_id`. The backend repeats this frame on every connection of the old boot. `stop` may follow `drain`.
 */
export interface Restart {
  mode: RestartMode;
}

/**
 * Answer to `hello`. `kill`: the worker's live runs that the platform has already ended, so the worker must kill them;
 * `forget`: runs of `done` whose end the platform has already saved. `protocol`: the version that both speak.
 */
export interface Welcome {
  protocol: number;
  epoch: number;
  worker_id: string;
  worker_name: string;
  /**
   * The key of this boot, if the worker connected with the key of a group. The worker downloads with it. Connections are
   * made with the key of the group, so that the worker is enrolled again if it was retired.
   */
  key?: string;
  /**
   * Length of the worker's lease. From this, `leaseTimes` computes how often the worker sends heartbeats and when it
   * ends runs.
   */
  lease_ms: number;
  kill: string[];
  forget: string[];
  controls: Control[];
}

/**
 * How busy the worker's machine is. `cpu`: the share of all cores that was in use since the last heartbeat. The memory,
 * in bytes, is that of the machine, or of the container's limit. The disk is that of the worker's folder; missing if the
 * worker cannot read it. `event_loop_ms`: how long the worker's event loop was blocked at most since the last heartbeat.
 */
export const machineUsageSchema = z.object({
  cpu: z.number().min(0).max(1),
  memory_used: z.int().nonnegative(),
  memory_total: z.int().nonnegative(),
  disk_free: z.int().nonnegative().optional(),
  disk_total: z.int().nonnegative().optional(),
  event_loop_ms: z.int32().nonnegative().optional(),
});
export type MachineUsage = z.infer<typeof machineUsageSchema>;

/**
 * W→B, sent every `heartbeatMs` of the lease; acknowledged with `{ n }`. `slots`: those that the worker has now; missing
 * if they have not changed since `hello`. `load` is the one-minute load divided by the cores. `writes`: what live runs
 * have written, of those that have written since the last heartbeat, and now and then what they use.
 */
export const beatSchema = z.object({
  epoch,
  n: z.int(),
  slots: slots.optional(),
  free: z.int32().nonnegative(),
  load: z.number(),
  usage: machineUsageSchema.optional(),
  writes: z
    .array(z.object({ id, writes: writesSchema, usage: usageSchema.optional() }))
    .max(1_024)
    .optional(),
});
export type Beat = z.infer<typeof beatSchema>;

/**
 * A run without a network, whose HTTP requests get the recorded answers of the run `of`. `on_miss` says what a request does
 * that the record does not have: it ends the run with `replay_miss`, or goes to the network, which is then open.
 */
export interface Replay {
  of: string;
  on_miss: OnMiss;
}

/**
 * B→W. The worker downloads the bundle from `GET /worker-api/bundles/{hash}` with its key. `input` and `input_secret`
 * are JSON text.
 */
export interface Offer {
  /**
   * Number of the offer on this connection, from 1. If the backend repeats an offer, the worker ignores it, even if it
   * refused the first one.
   */
  n: number;
  id: string;
  skript: { id: string; title: string };
  environment: (typeof ENVIRONMENTS)[number];
  bundle: string;
  /**
   * Hash of the lockfile with the run’s npm libraries; null if it has no libraries. `GET /worker-api/locks/{hash}`
   * returns the file.
   */
  lock: string | null;
  /** Account that owns the run. */
  owner_id: string;
  /** The worker may keep the process for the next run with the same owner, bundle, lock, secret and limits. */
  warm: boolean;
  input: string | null;
  input_secret: string | null;
  /** `pause_ms`: how long the run may be paused in all. */
  limits: { time_ms: number; pause_ms: number; output_bytes: number };
  /** Another worker may retry the run when the lease expires, so this worker ends it after `silenceMs`. */
  ends_with_lease: boolean;
  /** The worker sends it with each storage operation. It is valid only for this run and this boot of the worker. */
  token: string;
  /** The worker keeps a record of the run's HTTP exchanges, and uploads it to `PUT /worker-api/records/{id}`. */
  record?: true;
  /** Whether the requests of the run wait for slots of their domains, see `DomainSlots`. */
  polite?: true;
  /** Name of the pool of proxies through which the run connects from its first line on. Missing: none. */
  proxy?: string;
  /** The run is a replay, see `Replay`. The worker downloads the record from `GET /worker-api/records/{of}`. */
  replay?: Replay;
  /** Whether the worker keeps what the run sees until `finish` is answered. Missing from an older platform. */
  keeps_exchanges?: boolean;
  /** The default key of the rows of `dataset.push`, from the contract of the skript. */
  row_key?: string | string[];
  /** Id of the first attempt, if this run is a retry. */
  retry_of?: string;
  /** W3C trace context of the offer, if the backend sends traces. */
  traceparent?: string;
}
export type OfferAnswer = { accepted: true } | { refused: 'full' | 'draining' | 'environment' | 'silent' };

/**
 * W→B. `waiting_for` says why the run is waiting; null if it is not waiting. `queue`: its place, from 1, if other runs
 * come first. The frames of a run arrive in order.
 * Acknowledged with `{ seq }`.
 */
export const stateSchema = z.object({
  epoch,
  id,
  seq,
  waiting_for: z.enum(RUN_WAITS).nullable(),
  queue: z.object({ place: z.int32().positive(), of: z.int32().positive() }).optional(),
});
export type RunState = z.infer<typeof stateSchema>;

/** B→W: start or stop sending live echoes of a run. No acknowledgement. */
export interface Watch {
  id: string;
  on: boolean;
}

/** W→B. Live echoes for viewers. There is no acknowledgement, and under load some batches are dropped. */
export const echoLiveSchema = z.object({ epoch, id, from_seq: seq, items: z.array(echoSchema).max(MAX_LIVE_ECHOES) });
export type EchoLive = z.infer<typeof echoLiveSchema>;

/** B→W: asks for echoes that are not yet in a saved chunk. Acknowledged with `EchoPage`. */
export interface EchoRead {
  id: string;
  from_seq: number;
  limit: number;
}
export interface EchoPage {
  items: z.infer<typeof echoSchema>[];
}

const CHUNK_BYTES = LIMITS.frameBytes - 4_096;
const chunk = { n: z.int32().positive(), from_seq: seq, to_seq: seq, sha: z.string().length(64) };

/**
 * W→B. `gz` is gzipped CSV without a header line (columns `ECHO_CSV_COLUMNS`) of the echoes `from_seq` to `to_seq`;
 * `sha` is the SHA-256 of `gz` in hex. `id` and `n` (from 1) identify a chunk. If the worker sends a chunk again, the
 * backend acknowledges it and does not save it again.
 */
export const echoChunkSchema = z.object({
  epoch,
  id,
  ...chunk,
  gz: z.instanceof(Uint8Array).refine(gz => gz.byteLength <= CHUNK_BYTES, 'larger than a frame'),
});
export type EchoChunk = z.infer<typeof echoChunkSchema>;

/** W→B; acknowledged with a `StorageAnswer`. */
export const storageSchema = z.object({
  epoch,
  id,
  op_id: z.int().nonnegative(),
  token: z.string().max(200),
  op: runOperationSchema,
});
export type StorageFrame = z.infer<typeof storageSchema>;

/**
 * W→B; acknowledged with a `PostgresAnswer`. `resend` is true if the operation was sent before and got no answer. `table`
 * is that of a `query`. With `packs_rows`, the answer may have `packed_rows`. The backend ends the transactions and
 * cursors of a run when the connection of its worker ends.
 */
export const postgresSchema = storageSchema.extend({
  op: postgresOperationSchema,
  resend: z.boolean(),
  table: z.string().optional(),
  packs_rows: z.boolean().optional(),
});
export type PostgresFrame = z.infer<typeof postgresSchema>;

/**
 * W→B. `output` is JSON text. Acknowledged with `{ result }`. The worker forgets the run when the backend has
 * acknowledged this frame and all chunks.
 */
export const finishSchema = z.object({
  epoch,
  id,
  action: z.enum(FINAL_ACTIONS),
  output: text.max(LIMITS.outputBytes).nullable(),
  error_code: text.max(60).nullable(),
  error_stack: text.max(LIMITS.errorStackChars + 200).nullable(),
  last_seq: seq,
  last_chunk: z.int32().nonnegative(),
  /** Missing if the run has written nothing. */
  writes: writesSchema.optional(),
  /** Missing for a short run, and if the worker cannot measure it. */
  usage: usageSchema.optional(),
  /** Missing for a short run without blocked requests, and for one without requests. */
  requests: requestsSchema.optional(),
  /** Number of rows that the run has stored. Missing if it has stored none. */
  rows: z.int32().positive().optional(),
  /** Number of HTTP exchanges that the worker keeps of this run. Missing if it keeps none. */
  exchanges: z.int32().positive().optional(),
  /**
   * The last chunk of echoes, if it is small and the only one that the backend does not have. Its `gz` is base64, because
   * Socket.IO sends bytes in a frame of their own.
   */
  chunk: z.object({ ...chunk, gz: z.base64().max(4 * Math.ceil(LIMITS.finishChunkBytes / 3)) }).optional(),
});
export type Finish = z.infer<typeof finishSchema>;
/**
 * `ok`: this frame ended the run. `late`: the run had ended before, so this frame changed nothing. `may_read`: the
 * platform may ask for the exchanges of the run, so the worker keeps them for `EXCHANGES_KEPT_MS`.
 */
export interface FinishAnswer {
  result: 'ok' | 'late';
  may_read?: true;
}
/** How long a worker keeps the exchanges of a run whose end the platform has acknowledged. */
export const EXCHANGES_KEPT_MS = 30_000;

/**
 * B→W: asks for a part of the exchanges of a run that has ended: gzipped JSON of `Evidence`, from a byte on. `bytes` is
 * the size of the whole, or 0 if the worker has nothing.
 */
export interface ExchangesRead {
  id: string;
  from: number;
}
export interface ExchangesPart {
  bytes: number;
  gz: Uint8Array;
}

/**
 * Acknowledgement of any frame that the backend refuses. After `stale_epoch` the worker sends `hello` again.
 * `worker_in_use` refuses a `hello`, because another process has the worker's lease; all runs of this boot have ended.
 * `unsupported_protocol` refuses a `hello` of a version that differs by more than one.
 * After `unavailable`, the worker sends the frame again. `is_outage` is false if the backend has failed although its database
 * was there: then the frame may fail each time, and the worker gives up at last.
 */
export interface FrameRefusal {
  error: {
    code: 'stale_epoch' | 'invalid_frame' | 'unknown_run' | 'unavailable' | 'worker_in_use' | 'unsupported_protocol';
    message: string;
    is_outage?: boolean;
  };
}

/** Events that a worker sends, with the types of their acknowledgements. */
export interface WorkerToBackend {
  hello: (frame: Hello, ack: (answer: Welcome | FrameRefusal) => void) => void;
  beat: (frame: Beat, ack: (answer: { n: number } | FrameRefusal) => void) => void;
  state: (frame: RunState, ack: (answer: { seq: number } | FrameRefusal) => void) => void;
  echo_live: (frame: EchoLive) => void;
  echo_chunk: (frame: EchoChunk, ack: (answer: { n: number } | FrameRefusal) => void) => void;
  storage: (frame: StorageFrame, ack: (answer: StorageAnswer) => void) => void;
  postgres: (frame: PostgresFrame, ack: (answer: PostgresAnswer | FrameRefusal) => void) => void;
  finish: (frame: Finish, ack: (answer: FinishAnswer | FrameRefusal) => void) => void;
}

/** Events that the backend sends to a worker, with the types of their acknowledgements. */
export interface BackendToWorker {
  offer: (offer: Offer, ack: (answer: OfferAnswer) => void) => void;
  control: (control: Control, ack: (answer: ControlAnswer) => void) => void;
  answer: (answer: Answer, ack: (result: AnswerResult) => void) => void;
  watch: (watch: Watch) => void;
  restart: (restart: Restart, ack: (answer: { restarting: true }) => void) => void;
  echo_read: (request: EchoRead, ack: (page: EchoPage) => void) => void;
  exchanges_read: (request: ExchangesRead, ack: (part: ExchangesPart) => void) => void;
}
