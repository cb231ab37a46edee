import { Inject } from '@nestjs/common';
import { type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import {
  beatSchema,
  echoChunkSchema,
  type FrameRefusal,
  finishSchema,
  type Hello,
  helloSchema,
  PROTOCOL,
  postgresSchema,
  protocolProblem,
  stateSchema,
  storageSchema,
  WORKER_NAMESPACE,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Namespace, Socket } from 'socket.io';
import type { ZodType } from 'zod';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { withLogFields } from '../../platform/common/log-context.js';
import { LOGGER } from '../../platform/common/logger.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { isTemporaryFailure } from '../../platform/common/postgres-errors.js';
import { socketAddress } from '../../platform/http/client-address.js';
import { EchoesService } from '../echoes/echoes.service.js';
import { OffersService } from '../executions/dispatch/offers.service.js';
import { RunStatesService } from '../executions/dispatch/run-states.service.js';
import { EndingsService } from '../executions/end/endings.service.js';
import type { WorkerLogin } from '../executions/leases/leases.repository.js';
import { type HelloResult, LeasesService } from '../executions/leases/leases.service.js';
import { WorkerInUse } from '../executions/leases/second-process.js';
import { RunsStorageService } from '../executions/storage/runs-storage.service.js';
import {
  WorkerConnections,
  type WorkerLink,
  type WorkerSocket,
} from '../workers/connections/worker-connections.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { GroupMembers } from '../workers/groups/group-members.service.js';
import { WorkersService } from '../workers/workers.service.js';
import { LiveBatch } from './live-batch.js';
import { LiveViews } from './live-views.service.js';
import { SOCKET_OPTIONS } from './socket-options.js';

type Ack<Answer> = (answer: Answer | FrameRefusal) => void;

const refusal = (code: FrameRefusal['error']['code'], message: string): FrameRefusal => ({ error: { code, message } });

/**
 * The backend side of the worker protocol. Validates each frame, passes it to the service for it, and acknowledges it
 * after the commit.
 */
@WebSocketGateway({ namespace: WORKER_NAMESPACE, ...SOCKET_OPTIONS })
export class WorkerGateway implements OnGatewayInit<Namespace> {
  readonly #outages: OutageLog;

  constructor(
    private readonly workers: WorkersService,
    private readonly members: GroupMembers,
    private readonly connections: WorkerConnections,
    private readonly leases: LeasesService,
    private readonly endings: EndingsService,
    private readonly offers: OffersService,
    private readonly echoes: EchoesService,
    private readonly storage: RunsStorageService,
    private readonly states: RunStatesService,
    private readonly views: LiveViews,
    private readonly freeWorkers: FreeWorkersService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'handling a frame failed; the worker sends it again');
  }

  afterInit(namespace: Namespace): void {
    namespace.use((socket, next) => {
      this.#authenticate(socket as unknown as WorkerSocket).then(
        login => {
          socket.data.login = login;
          next(login ? undefined : new Error('Unknown worker key. Check TRAWL_WORKER_KEY.'));
        },
        error => {
          this.logger.warn({ err: error }, 'looking up a worker failed');
          next(new Error('The platform cannot check the worker key right now.'));
        },
      );
    });
    namespace.on('connection', socket =>
      this.#serve(socket as unknown as WorkerSocket, socket.data.login as WorkerLogin),
    );
  }

  async #authenticate(socket: WorkerSocket): Promise<WorkerLogin | null> {
    const key: unknown = socket.handshake.auth.key;
    if (typeof key !== 'string' || !key.startsWith('trw_') || key.length >= 200) return null;
    return (await this.workers.ofKey(key)) ?? this.members.loginOf(key);
  }

  #serve(socket: WorkerSocket, login: WorkerLogin): void {
    let link: WorkerLink | null = null;
    // Each `askWorker` call in progress adds a listener for the disconnect. Without this line, Node prints a warning
    // when there are more than ten.
    socket.setMaxListeners(0);

    socket.on('hello', (frame, ack) => {
      void this.#answer(ack, login, async () => {
        const problem = protocolProblem({ worker: protocolOf(frame), platform: PROTOCOL });
        if (problem) return refusal('unsupported_protocol', problem);
        const hello = helloSchema.safeParse(frame);
        if (!hello.success) return refusal('invalid_frame', `hello: ${hello.error.message}`);
        const result = await this.leases.hello(
          login,
          hello.data,
          socketAddress(socket.request, this.config.trustedProxies),
        );
        if (!result) {
          socket.disconnect(true);
          return refusal('unavailable', 'This worker key is no longer valid.');
        }
        const accepted = linkOf(hello.data, result, socket);
        if (!socket.connected) {
          // The socket has disconnected before `link` was set, so the handler of `disconnect` has not released the
          // lease.
          await this.leases.release(accepted);
          return refusal('unavailable', 'The connection closed before hello was handled.');
        }
        link = accepted;
        this.connections.add(link);
        this.logger.info(
          { worker: link.name, epoch: link.epoch, sandbox: link.sandbox, slots: link.slots },
          'worker connected',
        );
        setImmediate(() => this.#afterWelcome(accepted, hello.data.live, result.offerAgain));
        return result.welcome;
      });
    });

    /**
     * Handles an acknowledged frame from a worker that said hello on this connection. If `handle` returns null, no
     * answer is sent.
     */
    const on = <Frame extends { epoch: number; id?: string }, Answer>(
      event: 'beat' | 'state' | 'echo_chunk' | 'storage' | 'postgres' | 'finish',
      schema: ZodType<Frame>,
      handle: (link: WorkerLink, frame: Frame) => Promise<Answer | FrameRefusal | null>,
    ) => {
      (socket as Socket).on(event, (frame: unknown, ack: Ack<Answer>) => {
        const parsed = schema.safeParse(frame);
        const handleFrame = async () => {
          if (!parsed.success) {
            if (event === 'finish' && link) await this.#endUnreadable(link, frame);
            return refusal('invalid_frame', `${event}: ${parsed.error.message}`);
          }
          if (!link || parsed.data.epoch !== link.epoch) return refusal('stale_epoch', 'Say hello first.');
          return handle(link, parsed.data);
        };
        const execution = parsed.data?.id;
        const fields = { worker: login.name, ...(execution !== undefined && { execution }) };
        void withLogFields(fields, () => this.#answer(ack, login, handleFrame));
      });
    };

    on('beat', beatSchema, async (from, beat) => {
      const isRenewed = await this.leases.renew(from, beat);
      if (!isRenewed) return refusal('stale_epoch', 'Another connection of this worker has taken over.');
      // Do not wait for it, because the worker's lease does not depend on it.
      if (beat.writes?.length) void this.storage.noteWrites(from, beat.writes);
      return { n: beat.n };
    });
    on('finish', finishSchema, async (from, { chunk, ...finish }) => {
      const ended = this.storage.settle(from, finish).then(() => this.endings.finish(from.workerId, finish));
      const { id, epoch } = finish;
      const last = chunk && { ...chunk, id, epoch, gz: Buffer.from(chunk.gz, 'base64') };
      const [answer, saved] = await Promise.all([ended, last && this.echoes.save(from.workerId, last, ended)]);
      from.offered.delete(finish.id);
      return saved && 'error' in saved ? saved : answer;
    });
    on('echo_chunk', echoChunkSchema, (from, chunk) => this.echoes.save(from.workerId, chunk));
    on('storage', storageSchema, (from, frame) => this.storage.run(from, frame));
    on('postgres', postgresSchema, (from, frame) => this.storage.runPostgres(from, frame));
    on('state', stateSchema, async (from, state) => {
      await this.states.report(from, state);
      return { seq: state.seq };
    });

    socket.on('echo_live', frame => {
      const batch = frame instanceof LiveBatch ? frame : LiveBatch.ofFrame(frame);
      if (batch && link?.offered.has(batch.execution_id) && batch.epoch === link.epoch) this.views.show(batch);
    });

    socket.on('disconnect', reason => {
      if (!link || !this.connections.remove(link)) return;
      this.logger.warn({ worker: link.name, reason }, 'worker disconnected');
      this.leases.release(link).catch(error => this.logger.warn({ err: error }, 'releasing a lease failed'));
    });
  }

  /** Ends the run of a `finish` frame that was refused as invalid, because the worker does not send it again. */
  async #endUnreadable(link: WorkerLink, frame: unknown): Promise<void> {
    const id = (frame as { id?: unknown } | null)?.id;
    if (typeof id !== 'string' || !link.offered.has(id)) return;
    await this.endings.fail([id], {
      code: 'process_ended',
      message:
        'The run has ended, but the worker’s report cannot be read. Worker and platform may have different versions.',
    });
  }

  async #afterWelcome(link: WorkerLink, live: string[], offerAgain: string[]): Promise<void> {
    try {
      this.views.resumeWatching(link);
      // The worker has these runs, but its answers to their offers may have been lost with the last connection.
      await this.states.reportAnswered(link, live);
      await this.offers.offerCommitted(link, offerAgain);
      await this.offers.offerWaiting(link);
      await this.freeWorkers.assignToWaiting();
    } catch (error) {
      this.logger.error(
        { err: error, worker: link.name },
        'sending offers after a hello failed; retrying every second',
      );
    }
  }

  async #answer<Answer>(
    ack: Ack<Answer>,
    { name }: WorkerLogin,
    work: () => Promise<Answer | FrameRefusal | null>,
  ): Promise<void> {
    if (typeof ack !== 'function') return;
    try {
      const answer = await work();
      if (answer !== null) ack(answer);
      this.#outages.success();
    } catch (error) {
      if (error instanceof WorkerInUse) {
        // The process asks again every second, and names the reason in its own log.
        this.logger.debug({ worker: name }, 'second process of a worker refused');
        ack(refusal('worker_in_use', error.message));
        return;
      }
      this.#outages.failure(error, { worker: name });
      const { error: again } = refusal(
        'unavailable',
        'The platform cannot handle this frame right now. Send it again.',
      );
      ack({ error: { ...again, is_outage: isTemporaryFailure(error) } });
    }
  }
}

/** Workers of this version did not name it. */
const FIRST_PROTOCOL = 1;

/** Reads the version before the rest of a `hello`, which may look different in another version. */
const protocolOf = (frame: unknown): number =>
  helloSchema.pick({ protocol: true }).safeParse(frame).data?.protocol ?? FIRST_PROTOCOL;

const linkOf = (hello: Hello, result: HelloResult, socket: WorkerSocket): WorkerLink => ({
  workerId: result.worker.id,
  name: result.worker.name,
  epoch: result.welcome.epoch,
  bootId: hello.boot_id,
  protocol: hello.protocol,
  slots: hello.slots,
  environments: hello.environments,
  sandbox: hello.sandbox,
  socket,
  keyHash: result.worker.key_hash,
  draining: result.draining,
  offered: new Map(result.live),
  reserved: new Map(),
  done: new Set(hello.done),
});
