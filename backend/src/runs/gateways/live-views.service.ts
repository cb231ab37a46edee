import { Injectable } from '@nestjs/common';
import type { Echo, LiveClientEvents, LiveServerEvents } from '@trawl/contracts';
import type { Namespace } from 'socket.io';
import { v4 as uuidv4 } from 'uuid';
import { ExecutionEvents } from '../executions/records/execution-events.service.js';
import { WorkerConnections, type WorkerLink } from '../workers/connections/worker-connections.service.js';
import type { LiveBatch } from './live-batch.js';
import { LiveRelay } from './live-relay.service.js';

export type LiveNamespace = Namespace<LiveClientEvents, LiveServerEvents>;

/** At most this many batches of echoes wait to be sent to one viewer. A batch has up to 768 KB. */
const MAX_QUEUED = 16;

/**
 * Returns how many messages wait to be sent. `writeBuffer` is a public property of engine.io, but its types do not
 * contain it.
 */
const queued = (connection: unknown): number => (connection as { writeBuffer: unknown[] }).writeBuffer.length;

const roomOf = (executionId: string): string => `run:${executionId}`;

/**
 * Tracks which runs are watched: by the panel over its socket, and by readers of a live log over HTTP. A worker sends
 * live echoes only for watched runs.
 */
@Injectable()
export class LiveViews {
  #namespace?: LiveNamespace;
  /** Viewers without a socket of their own, by the ids under which they are in the rooms. */
  readonly #followers = new Map<string, (items: Echo[]) => void>();

  constructor(
    private readonly connections: WorkerConnections,
    private readonly events: ExecutionEvents,
    private readonly relay: LiveRelay,
  ) {}

  attach(namespace: LiveNamespace): void {
    this.#namespace = namespace;
    namespace.adapter.on('create-room', (room: string) => this.#watch(room, true));
    namespace.adapter.on('delete-room', (room: string) => this.#watch(room, false));
    // If a viewer already watched the run while it waited for a worker, tell the worker now.
    this.events.accepted.subscribe(id => {
      if (this.#isWatched(id)) this.#notifyWorkers(id, true);
    });
    this.relay.watched.subscribe(({ id, on }) => {
      if (on || !this.#isWatched(id)) this.#notifyWorkers(id, on);
    });
    this.relay.batches.subscribe(batch => this.#showHere(batch));
  }

  room(executionId: string): string {
    return roomOf(executionId);
  }

  /**
   * Calls `show` with each batch of a run's live echoes. Batches may be missing, as in the panel's view. Returns a
   * function that ends this.
   */
  follow(executionId: string, show: (items: Echo[]) => void): () => void {
    const id = uuidv4();
    this.#followers.set(id, show);
    void this.#namespace?.adapter.addAll(id, new Set([roomOf(executionId)]));
    return () => {
      this.#followers.delete(id);
      this.#namespace?.adapter.delAll(id);
    };
  }

  /** Shows a batch of a worker connected here to all viewers. */
  show(batch: LiveBatch): void {
    this.#showHere(batch);
    void this.relay.relay(batch);
  }

  #showHere(batch: LiveBatch): void {
    const viewers = this.#namespace?.adapter.rooms.get(roomOf(batch.execution_id)) ?? [];
    for (const id of viewers) {
      this.#followers.get(id)?.(batch.items);
      const viewer = this.#namespace?.sockets.get(id);
      // A viewer who is too slow does not get this batch. The panel notices the gap in `seq`.
      if (!viewer || queued(viewer.conn) >= MAX_QUEUED) continue;
      viewer.emit('echoes', batch);
    }
  }

  /** Tells a worker that has just connected which of its runs are watched. */
  resumeWatching(link: WorkerLink): void {
    for (const id of link.offered.keys()) {
      if (this.#isWatched(id)) link.socket.emit('watch', { id, on: true });
    }
  }

  #isWatched(id: string): boolean {
    return this.relay.isWatchedElsewhere(id) || (this.#namespace?.adapter.rooms.has(roomOf(id)) ?? false);
  }

  /** Acts on the first viewer of a room, and after the last one. */
  #watch(room: string, on: boolean): void {
    if (!room.startsWith('run:')) return;
    const id = room.slice(4);
    this.relay.watch(id, on);
    if (on || !this.relay.isWatchedElsewhere(id)) this.#notifyWorkers(id, on);
  }

  #notifyWorkers(id: string, on: boolean): void {
    for (const link of this.connections.all()) {
      if (link.offered.has(id)) link.socket.emit('watch', { id, on });
    }
  }
}
