import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { isUUID } from 'class-validator';
import type { Logger } from 'pino';
import { Subscription } from 'rxjs';
import { CallerChanges } from '../auth/caller-changes.service.js';
import { CallersService } from '../auth/callers.service.js';
import type { SessionUser } from '../auth/current-user.js';
import { LOGGER } from '../common/logger.js';
import { ExecutionEvents } from '../executions/execution-events.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { type LiveNamespace, LiveViews } from './live-views.js';
import { SOCKET_OPTIONS } from './socket-options.js';

/** How often a standing connection's token is looked at again: it may run out, or its end may not have been heard of. */
const TOKEN_CHECK_MS = 30_000;

type LiveSocket = Parameters<Parameters<LiveNamespace['use']>[0]>[0];

const userRoom = (userId: string): string => `user:${userId}`;

/** What the panel sees live: its user's runs as they change, and the echoes of those that it watches. */
@WebSocketGateway({ namespace: LIVE_NAMESPACE, ...SOCKET_OPTIONS })
export class LiveGateway implements OnGatewayInit<LiveNamespace>, OnModuleInit, OnModuleDestroy {
  #namespace?: LiveNamespace;
  readonly #subscriptions = new Subscription();
  #tokenCheck?: NodeJS.Timeout;

  constructor(
    private readonly callers: CallersService,
    private readonly callerChanges: CallerChanges,
    private readonly executions: ExecutionsService,
    private readonly events: ExecutionEvents,
    private readonly views: LiveViews,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.#subscriptions.add(
      this.events.changes.subscribe(({ owner_id, worker_id: _worker, ended: _ended, ...update }) => {
        this.#namespace?.to(userRoom(owner_id)).emit('execution', update);
      }),
    );
    this.#subscriptions.add(
      this.callerChanges.heard.subscribe(userId =>
        this.#dropEnded(socket => !userId || socket.data.user.id === userId),
      ),
    );
    this.#tokenCheck = setInterval(() => this.#dropEnded(), TOKEN_CHECK_MS).unref();
  }

  onModuleDestroy(): void {
    this.#subscriptions.unsubscribe();
    clearInterval(this.#tokenCheck);
  }

  afterInit(namespace: LiveNamespace): void {
    this.#namespace = namespace;
    this.views.attach(namespace);
    namespace.use((socket, next) => {
      const token: unknown = socket.handshake.auth.token;
      this.callers.of(typeof token === 'string' ? token : '').then(
        user => {
          socket.data.user = user;
          next(user ? undefined : new Error('unauthorized'));
        },
        error => {
          this.logger.warn({ err: error }, 'a token could not be looked up');
          next(new Error('unavailable'));
        },
      );
    });
    namespace.on('connection', socket => {
      const user = socket.data.user as SessionUser;
      void socket.join(userRoom(user.id));
      let watching: Promise<unknown> = Promise.resolve();
      socket.on('watch', (request, answer) => {
        if (typeof answer !== 'function') return;
        const { execution_id: id, on } = request ?? {};
        if (typeof id !== 'string' || !isUUID(id) || typeof on !== 'boolean') {
          answer({ ok: false, error_message: 'watch takes { execution_id, on }.' });
          return;
        }
        // One after the other: a socket cannot make more work than it waits for.
        watching = watching
          .then(() => this.#watch(socket, user, id, on))
          .then(answer, error => {
            this.logger.warn({ err: error }, 'a run could not be looked up');
            answer({ ok: false, error_message: 'The platform cannot look the run up right now.' });
          });
      });
    });
  }

  async #watch(
    socket: LiveSocket,
    user: SessionUser,
    id: string,
    on: boolean,
  ): Promise<{ ok: boolean; error_message?: string }> {
    if (!on) {
      await socket.leave(this.views.room(id));
      return { ok: true };
    }
    const [own] = await this.executions.ofIds(user.id, [id]);
    if (!own) return { ok: false, error_message: `There is no skript execution with the id ${id}.` };
    await socket.join(this.views.room(id));
    return { ok: true };
  }

  async #dropEnded(isAsked: (socket: LiveSocket) => boolean = () => true): Promise<void> {
    try {
      for (const socket of [...(this.#namespace?.sockets.values() ?? [])].filter(isAsked)) {
        if (!(await this.callers.of(String(socket.handshake.auth.token)))) socket.disconnect(true);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'tokens of live connections could not be checked; tried again soon');
    }
  }
}
