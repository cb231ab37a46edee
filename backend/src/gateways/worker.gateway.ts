import { Inject } from '@nestjs/common';
import { type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import {
  beatSchema,
  echoChunkSchema,
  echoLiveSchema,
  type FrameRefusal,
  finishSchema,
  type Hello,
  helloSchema,
  stateSchema,
  storageSchema,
  WORKER_NAMESPACE,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Namespace, Socket } from 'socket.io';
import type { ZodType } from 'zod';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { EchoesService } from '../echoes/echoes.service.js';
import { DispatcherService } from '../executions/dispatcher.service.js';
import { EndingsService } from '../executions/endings.service.js';
import { type HelloResult, LeasesService } from '../executions/leases.service.js';
import { RunStatesService } from '../executions/run-states.service.js';
import { RunsStorageService } from '../executions/runs-storage.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import type { Worker } from '../workers/worker.entity.js';
import { WorkerConnections, type WorkerLink, type WorkerSocket } from '../workers/worker-connections.js';
import { WorkersService } from '../workers/workers.service.js';
import { LiveViews } from './live-views.js';
import { SOCKET_OPTIONS } from './socket-options.js';

type Ack<Answer> = (answer: Answer | FrameRefusal) => void;

const refusal = (code: FrameRefusal['error']['code'], message: string): FrameRefusal => ({ error: { code, message } });

/** The worker protocol, this backend's side: checks each frame, hands it to the service whose matter it is, acknowledges after the commit. */
@WebSocketGateway({ namespace: WORKER_NAMESPACE, ...SOCKET_OPTIONS })
export class WorkerGateway implements OnGatewayInit<Namespace> {
  readonly #outages: OutageLog;

  constructor(
    private readonly workers: WorkersService,
    private readonly connections: WorkerConnections,
    private readonly leases: LeasesService,
    private readonly endings: EndingsService,
    private readonly dispatcher: DispatcherService,
    private readonly echoes: EchoesService,
    private readonly storage: RunsStorageService,
    private readonly states: RunStatesService,
    private readonly views: LiveViews,
    private readonly freeWorkers: FreeWorkersService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'a frame could not be handled; the worker sends it again');
  }

  afterInit(namespace: Namespace): void {
    namespace.use((socket, next) => {
      this.#authenticate(socket as unknown as WorkerSocket).then(
        worker => {
          socket.data.worker = worker;
          next(worker ? undefined : new Error('This worker key is not known. Check TRAWL_WORKER_KEY.'));
        },
        error => {
          this.logger.warn({ err: error }, 'a worker could not be looked up');
          next(new Error('The platform cannot check the worker key right now.'));
        },
      );
    });
    namespace.on('connection', socket => this.#serve(socket as unknown as WorkerSocket, socket.data.worker as Worker));
  }

  async #authenticate(socket: WorkerSocket): Promise<Worker | null> {
    const key: unknown = socket.handshake.auth.key;
    return typeof key === 'string' && key.startsWith('trw_') && key.length < 200 ? this.workers.ofKey(key) : null;
  }

  #serve(socket: WorkerSocket, worker: Worker): void {
    let link: WorkerLink | null = null;
    // Each question that is open listens for the end of the connection; Node would warn of more than ten.
    socket.setMaxListeners(0);

    socket.on('hello', (frame, ack) => {
      void this.#answer(ack, worker, async () => {
        const hello = helloSchema.safeParse(frame);
        if (!hello.success) return refusal('invalid_frame', `hello: ${hello.error.message}`);
        const result = await this.leases.hello(worker, hello.data, socket.handshake.address);
        if (!result) {
          socket.disconnect(true);
          return refusal('unavailable', 'This worker key is not valid any more.');
        }
        const said = linkOf(worker, hello.data, result, socket);
        if (!socket.connected) {
          // Its disconnect came before there was anything to end.
          await this.leases.released(said);
          return refusal('unavailable', 'The connection was gone before hello was handled.');
        }
        link = said;
        this.connections.add(link);
        this.logger.info(
          { worker: worker.name, epoch: link.epoch, sandbox: link.sandbox, slots: link.slots },
          'worker connected',
        );
        setImmediate(() => this.#afterWelcome(said, hello.data.live, result.offerAgain));
        return result.welcome;
      });
    });

    /** Handles an acknowledged frame of a worker that said hello on this connection; null is no answer. */
    const on = <Frame extends { epoch: number }, Answer>(
      event: 'beat' | 'state' | 'echo_chunk' | 'storage' | 'finish',
      schema: ZodType<Frame>,
      handle: (link: WorkerLink, frame: Frame) => Promise<Answer | FrameRefusal | null>,
    ) => {
      (socket as Socket).on(event, (frame: unknown, ack: Ack<Answer>) => {
        void this.#answer(ack, worker, async () => {
          const parsed = schema.safeParse(frame);
          if (!parsed.success) {
            if (event === 'finish' && link) await this.#endUnreadable(link, frame);
            return refusal('invalid_frame', `${event}: ${parsed.error.message}`);
          }
          if (!link || parsed.data.epoch !== link.epoch) return refusal('stale_epoch', 'Say hello first.');
          return handle(link, parsed.data);
        });
      });
    };

    on('beat', beatSchema, async (from, beat) =>
      (await this.leases.beat(from, beat))
        ? { n: beat.n }
        : refusal('stale_epoch', 'Another connection has taken over.'),
    );
    on('finish', finishSchema, async (from, finish) => {
      const answer = await this.endings.finish(from.workerId, finish);
      from.offered.delete(finish.id);
      return answer;
    });
    on('echo_chunk', echoChunkSchema, (from, chunk) => this.echoes.save(from.workerId, chunk));
    on('storage', storageSchema, (from, frame) => this.storage.run(from, frame));
    on('state', stateSchema, async (from, state) => {
      await this.states.note(from, state);
      return { seq: state.seq };
    });

    socket.on('echo_live', frame => {
      const batch = echoLiveSchema.safeParse(frame);
      if (batch.success && link?.offered.has(batch.data.id) && batch.data.epoch === link.epoch)
        this.views.show(batch.data);
    });

    socket.on('disconnect', reason => {
      if (!link || !this.connections.remove(link)) return;
      this.logger.warn({ worker: worker.name, reason }, 'worker disconnected');
      this.leases.released(link).catch(error => this.logger.warn({ err: error }, 'a lease could not be released'));
    });
  }

  /** A finish that is not of the protocol is not sent again; its run must end all the same. */
  async #endUnreadable(link: WorkerLink, frame: unknown): Promise<void> {
    const id = (frame as { id?: unknown } | null)?.id;
    if (typeof id !== 'string' || !link.offered.has(id)) return;
    await this.endings.fail([id], {
      code: 'process_ended',
      message: 'The run is over, but how it ended cannot be read: worker and platform may be of different versions.',
    });
  }

  async #afterWelcome(link: WorkerLink, live: string[], offerAgain: string[]): Promise<void> {
    try {
      this.views.workerIsBack(link);
      // Its answer to an offer may have gone with the last connection.
      await this.states.answered(link, live);
      await this.dispatcher.offer(link, offerAgain);
      await this.dispatcher.dispatch(link);
      await this.freeWorkers.giveToWaiting();
    } catch (error) {
      this.logger.error(
        { err: error, worker: link.name },
        'offers after a hello failed; they are tried again every second',
      );
    }
  }

  async #answer<Answer>(
    ack: Ack<Answer>,
    worker: Worker,
    work: () => Promise<Answer | FrameRefusal | null>,
  ): Promise<void> {
    if (typeof ack !== 'function') return;
    try {
      const answer = await work();
      if (answer !== null) ack(answer);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error, { worker: worker.name });
      ack(refusal('unavailable', 'The platform could not handle this right now. Send it again.'));
    }
  }
}

const linkOf = (worker: Worker, hello: Hello, result: HelloResult, socket: WorkerSocket): WorkerLink => ({
  workerId: worker.id,
  name: worker.name,
  epoch: result.welcome.epoch,
  bootId: hello.boot_id,
  slots: hello.slots,
  environments: hello.environments,
  sandbox: hello.sandbox,
  socket,
  keyHash: worker.key_hash,
  draining: result.draining,
  offered: new Set(result.live),
  reserved: new Set(),
  done: new Set(hello.done),
});
