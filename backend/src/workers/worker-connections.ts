import { Injectable } from '@nestjs/common';
import type { BackendToWorker, Environment, SandboxLevel, WorkerToBackend } from '@trawl/contracts';
import type { Socket } from 'socket.io';

export type WorkerSocket = Socket<WorkerToBackend, BackendToWorker>;

/** A worker whose connection this backend holds, from its `hello` until it is gone. */
export interface WorkerLink {
  readonly workerId: string;
  readonly name: string;
  readonly epoch: number;
  readonly bootId: string;
  readonly slots: number;
  readonly environments: readonly Environment[];
  readonly sandbox: SandboxLevel;
  /** `data.offers`: so many offers were sent over it. */
  readonly socket: WorkerSocket;
  /** SHA-256 of the key that it came with. */
  readonly keyHash: Buffer;
  /** Told to restart: it takes no more runs. */
  draining: boolean;
  /** Runs on this boot: offered to it, and not ended. */
  readonly offered: Set<string>;
  /** Runs whose slot is taken and whose offer is still to be sent. */
  readonly reserved: Set<string>;
  /** Runs that it said had ended and whose finish it still has to bring. */
  readonly done: ReadonlySet<string>;
}

export const freeSlots = (link: WorkerLink): number =>
  link.draining ? 0 : Math.max(0, link.slots - link.offered.size - link.reserved.size);

@Injectable()
export class WorkerConnections {
  readonly #links = new Map<string, WorkerLink>();

  get(workerId: string): WorkerLink | undefined {
    return this.#links.get(workerId);
  }

  all(): IterableIterator<WorkerLink> {
    return this.#links.values();
  }

  /** A worker has one connection: an older one is closed. */
  add(link: WorkerLink): void {
    const older = this.#links.get(link.workerId);
    this.#links.set(link.workerId, link);
    if (older && older.socket !== link.socket) older.socket.disconnect(true);
  }

  /** False when the worker has meanwhile connected anew. */
  remove(link: WorkerLink): boolean {
    if (this.#links.get(link.workerId) !== link) return false;
    return this.#links.delete(link.workerId);
  }
}
