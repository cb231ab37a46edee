import { Injectable } from '@nestjs/common';
import { type Echo, isLive, SHARES } from '@trawl/contracts';
import { filter, fromEvent, merge } from 'rxjs';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { TokenResolver } from '../../platform/auth/tokens/token-resolver.service.js';
import type { WaitingCall } from '../../platform/auth/waiting-call.js';
import { ApiError } from '../../platform/common/errors.js';
import { KeyedCounts } from '../../platform/common/shares/keyed-counts.js';
import { EchoesService } from '../echoes/echoes.service.js';
import { ExecutionEvents } from '../executions/records/execution-events.service.js';
import type { ExecutionDto } from '../executions/records/executions.dto.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { LiveViews } from './live-views.service.js';
import { WakeUp } from './wake-up.js';

export const MAX_STREAMS_PER_ACCOUNT = SHARES.liveLogs;
/**
 * How often a stream reads its run, the caller's token and the latest echoes, because another backend may have changed
 * them.
 */
const POLL_MS = 1_000;
/** Proxies cut off connections on which nothing is sent for a while, many after a minute. */
const HEARTBEAT_MS = 15_000;
/** How long a stream waits for the last echoes of an ended run if the worker has not saved them yet. */
const LAST_ECHOES_MS = 30_000;
/** How long a client should wait before it reconnects. */
const RECONNECT_MS = 1_000;

/** Streams the echoes of runs as server-sent events. See docs/decisions/0105-live-logs-pull-echoes.md. */
@Injectable()
export class EchoStreams {
  /** The open streams of each account. */
  readonly #open = new KeyedCounts();

  constructor(
    private readonly echoes: EchoesService,
    private readonly executions: ExecutionsService,
    private readonly events: ExecutionEvents,
    private readonly views: LiveViews,
    private readonly tokens: TokenResolver,
    private readonly tokenChanges: TokenChanges,
  ) {}

  /**
   * Returns the text of the events: one for each echo after `afterSeq`, in order and each once, then `end`. The stream
   * ends early, without `end`, if the run is deleted or the caller's token is revoked. It reads further echoes only when
   * its consumer asks for the next text, so a slow client needs no memory.
   * @throws {ApiError} 404, or 429 if the account has too many open streams.
   */
  async open(ownerId: string, id: string, afterSeq: number, call: WaitingCall): Promise<AsyncGenerator<string>> {
    const execution = await this.executions.get(ownerId, id);
    this.#count(ownerId, call.closed);
    call.freeSlot();
    return this.#textOf(ownerId, execution, afterSeq, call);
  }

  #count(ownerId: string, closed: AbortSignal): void {
    if (closed.aborted) return;
    const open = this.#open.of(ownerId);
    if (open >= MAX_STREAMS_PER_ACCOUNT) {
      throw new ApiError(
        'too_many_requests',
        `You have ${open} live logs open, which is the limit. Close one, then try again.`,
      );
    }
    closed.addEventListener('abort', this.#open.add(ownerId));
  }

  async *#textOf(
    ownerId: string,
    initial: ExecutionDto,
    afterSeq: number,
    { token, closed }: WaitingCall,
  ): AsyncGenerator<string> {
    let execution = initial;
    let seen = afterSeq;
    // The latest live batch that is not sent yet. Further batches are dropped: the stream reads their echoes later.
    let live: Echo[] | undefined;
    // Whether there may be echoes to read, besides those in `live`.
    let isBehind = true;
    let readAt = Date.now();
    let sentAt = Date.now();
    let endedAt: number | undefined;
    const wakeUp = new WakeUp();
    const unfollow = this.views.follow(execution.id, items => {
      live ??= items;
      wakeUp.ring();
    });
    const changes = this.#changesOf(ownerId, execution.id, closed).subscribe(() => {
      readAt = 0;
      wakeUp.ring();
    });
    try {
      yield `retry: ${RECONNECT_MS}\n\n`;
      while (!closed.aborted) {
        if (Date.now() - readAt >= POLL_MS) {
          const [current] = await this.executions.ofIds(ownerId, [execution.id]);
          if (!current || !(await this.tokens.resolve(token))) return;
          execution = current;
          readAt = Date.now();
          isBehind = true;
        }
        const batch = live;
        live = undefined;
        let items: Echo[] = [];
        if (batch && follows(batch, seen)) {
          items = after(batch, seen);
        } else if (batch || isBehind) {
          items = await this.echoes.next(ownerId, execution, seen);
          isBehind = items.length > 0;
        }
        if (items.length > 0) {
          seen = items.at(-1)?.seq ?? seen;
          endedAt = undefined;
          sentAt = Date.now();
          yield items.map(echoEvent).join('');
          continue;
        }
        if (!isLive(execution.action)) {
          endedAt ??= Date.now();
          if (seen >= execution.last_seq || Date.now() - endedAt >= LAST_ECHOES_MS) {
            yield endEvent(execution);
            return;
          }
        }
        if (Date.now() - sentAt >= HEARTBEAT_MS) {
          sentAt = Date.now();
          yield ': still there\n\n';
        }
        await wakeUp.wait(POLL_MS);
      }
    } finally {
      unfollow();
      changes.unsubscribe();
    }
  }

  #changesOf(ownerId: string, id: string, closed: AbortSignal) {
    return merge(
      this.events.changes.pipe(filter(change => change.id === id)),
      this.tokenChanges.changed.pipe(filter(userId => userId === null || userId === ownerId)),
      fromEvent(closed, 'abort'),
    );
  }
}

/** Whether no echo is missing between number `seen` and the batch. */
const follows = (batch: Echo[], seen: number): boolean => (batch[0]?.seq ?? 0) <= seen + 1;

const after = (items: Echo[], seq: number): Echo[] => items.filter(echo => echo.seq > seq);

const echoEvent = ({ seq, time, type, msg }: Echo): string =>
  `id: ${seq}\ndata: ${JSON.stringify({ seq, time, type, msg })}\n\n`;

const endEvent = ({ action, error_code, last_seq }: ExecutionDto): string =>
  `event: end\ndata: ${JSON.stringify({ action, error_code, last_seq })}\n\n`;
