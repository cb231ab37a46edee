import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import { isLive, LIVE_NAMESPACE, SHARES } from '@trawl/contracts';
import { isUUID } from 'class-validator';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterQueue, RateLimiterQueueError } from 'rate-limiter-flexible';
import { Subscription } from 'rxjs';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { TokenResolver } from '../../platform/auth/tokens/token-resolver.service.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Backends } from '../../platform/database/backends.service.js';
import { PostgresNotices } from '../../platform/database/postgres-notices.service.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { ExecutionEvents } from '../executions/records/execution-events.service.js';
import type { ExecutionDto } from '../executions/records/executions.dto.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { WorkerConnections } from '../workers/connections/worker-connections.service.js';
import { type LiveNamespace, LiveViews } from './live-views.service.js';
import { SOCKET_OPTIONS } from './socket-options.js';

/**
 * The tokens of open connections are checked after this time, because a token may expire, and the event of a revocation
 * may be lost.
 */
const TOKEN_CHECK_MS = 30_000;

/** A frame that has arrived in part stays in memory, so the connections of an account are limited. */
const MAX_CONNECTIONS = SHARES.liveConnections;

const TOO_MANY_WATCHES = `More than ${SHARES.watchesQueued} \`watch\` messages of this account are waiting: the platform handles ${SHARES.watchesPerSecond} in a second. Connect again, and send fewer.`;

type LiveSocket = Parameters<Parameters<LiveNamespace['use']>[0]>[0];

const userRoom = (userId: string): string => `user:${userId}`;

/** Sends the panel changes of its user's runs, the echoes of watched runs, and word of new notices. */
@WebSocketGateway({ namespace: LIVE_NAMESPACE, ...SOCKET_OPTIONS })
export class LiveGateway implements OnGatewayInit<LiveNamespace>, OnModuleInit, OnModuleDestroy {
  #namespace?: LiveNamespace;
  readonly #subscriptions = new Subscription();
  /** `watch` messages of an account, over all its connections, in the order in which they came. */
  readonly #watches = new RateLimiterQueue(new RateLimiterMemory({ points: SHARES.watchesPerSecond, duration: 1 }), {
    maxQueueSize: SHARES.watchesQueued,
  });
  #tokenCheck?: NodeJS.Timeout;

  constructor(
    private readonly tokens: TokenResolver,
    private readonly tokenChanges: TokenChanges,
    private readonly executions: ExecutionsService,
    private readonly events: ExecutionEvents,
    private readonly views: LiveViews,
    private readonly connections: WorkerConnections,
    private readonly backends: Backends,
    private readonly postgresNotices: PostgresNotices,
    private readonly redis: RedisService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.#subscriptions.add(
      this.events.changes.subscribe(({ owner_id, worker_id: _worker, ended: _ended, ...update }) => {
        this.#namespace?.to(userRoom(owner_id)).emit('execution', update);
      }),
    );
    this.#subscriptions.add(
      this.tokenChanges.changed.subscribe(userId =>
        this.#disconnectRevoked(socket => !userId || socket.data.user.id === userId),
      ),
    );
    this.#subscriptions.add(
      this.postgresNotices.on('trawl_notices').subscribe(userId => {
        if (userId === null) this.#namespace?.emit('notices');
        else this.#namespace?.to(userRoom(userId)).emit('notices');
      }),
    );
    this.#tokenCheck = setInterval(() => this.#disconnectRevoked(), TOKEN_CHECK_MS).unref();
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
      this.tokens.resolve(typeof token === 'string' ? token : '').then(
        user => {
          socket.data.user = user;
          if (!user) next(new Error('unauthorized'));
          else if ((namespace.adapter.rooms.get(userRoom(user.id))?.size ?? 0) < MAX_CONNECTIONS) next();
          else next(new Error(`This account has ${MAX_CONNECTIONS} live connections. Close one, then try again.`));
        },
        error => {
          this.logger.warn({ err: error }, 'looking up a token failed');
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
          answer({ ok: false, error_message: '`watch` expects { execution_id: a UUID, on: a boolean }.' });
          return;
        }
        const turn = this.#watches.removeTokens(1, user.id);
        turn.catch(() => {
          answer({ ok: false, error_message: TOO_MANY_WATCHES });
          socket.disconnect(true);
        });
        // Handle the requests of a socket one after another, so that one client cannot cause many lookups at the same
        // time.
        watching = watching
          .then(() => turn)
          .then(() => this.#watch(socket, user, id, on))
          .then(answer, error => {
            if (error instanceof RateLimiterQueueError) return;
            this.logger.warn({ err: error }, 'looking up a run failed');
            answer({ ok: false, error_message: 'The platform cannot look up the run right now. Try again.' });
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
    const problem = this.#whyNotLive(own);
    return problem === null ? { ok: true } : { ok: false, error_message: problem };
  }

  /** Says why no live echoes of a run may arrive here; null if they do. */
  #whyNotLive({ action, worker }: ExecutionDto): string | null {
    if (!isLive(action) || !this.backends.hasOthers || this.redis.isAvailable) return null;
    if (worker && this.connections.get(worker.id)) return null;
    const cause = this.redis.isConfigured
      ? 'Redis is unavailable. They continue when it is back.'
      : 'several backends share them only over Redis. Ask an administrator to set REDIS_URL.';
    return `Live echoes of this run are not shown, because ${cause} Reload the page to see the echoes so far.`;
  }

  async #disconnectRevoked(matches: (socket: LiveSocket) => boolean = () => true): Promise<void> {
    try {
      for (const socket of [...(this.#namespace?.sockets.values() ?? [])].filter(matches)) {
        if (!(await this.tokens.resolve(String(socket.handshake.auth.token)))) socket.disconnect(true);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'checking the tokens of live connections failed; retrying within 30 s');
    }
  }
}
