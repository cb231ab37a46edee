import { Injectable } from '@nestjs/common';
import type { EchoLive, LiveClientEvents, LiveServerEvents } from '@trawl/contracts';
import type { Namespace } from 'socket.io';
import { ExecutionEvents } from '../executions/execution-events.js';
import { WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';

export type LiveNamespace = Namespace<LiveClientEvents, LiveServerEvents>;

/** Batches that wait for one viewer, of up to 768 KB each. */
const MAX_QUEUED = 16;

/** engine.io counts them, and shows them to JavaScript only. */
const queued = (connection: unknown): number => (connection as { writeBuffer: unknown[] }).writeBuffer.length;

const roomOf = (executionId: string): string => `run:${executionId}`;

/** Who watches which run. A worker sends live echoes only of runs that somebody watches. */
@Injectable()
export class LiveViews {
  #namespace?: LiveNamespace;

  constructor(
    private readonly connections: WorkerConnections,
    private readonly events: ExecutionEvents,
  ) {}

  attach(namespace: LiveNamespace): void {
    this.#namespace = namespace;
    namespace.adapter.on('create-room', (room: string) => this.#tellWorkers(room, true));
    namespace.adapter.on('delete-room', (room: string) => this.#tellWorkers(room, false));
    // A run that waited for its worker may have been watched all the while.
    this.events.accepted.subscribe(id => {
      if (namespace.adapter.rooms.has(roomOf(id))) this.#tellWorkers(roomOf(id), true);
    });
  }

  room(executionId: string): string {
    return roomOf(executionId);
  }

  show(batch: EchoLive): void {
    const viewers = this.#namespace?.adapter.rooms.get(roomOf(batch.id)) ?? [];
    for (const id of viewers) {
      const viewer = this.#namespace?.sockets.get(id);
      // A view: what a slow browser cannot take is lost there, and its `seq` tells.
      if (!viewer || queued(viewer.conn) >= MAX_QUEUED) continue;
      viewer.emit('echoes', { execution_id: batch.id, from_seq: batch.from_seq, items: batch.items });
    }
  }

  /** A connection that is new does not know yet what is watched. */
  workerIsBack(link: WorkerLink): void {
    for (const id of link.offered) {
      if (this.#namespace?.adapter.rooms.has(roomOf(id))) link.socket.emit('watch', { id, on: true });
    }
  }

  #tellWorkers(room: string, on: boolean): void {
    const id = room.startsWith('run:') ? room.slice(4) : null;
    if (id === null) return;
    for (const link of this.connections.all()) {
      if (link.offered.has(id)) link.socket.emit('watch', { id, on });
    }
  }
}
