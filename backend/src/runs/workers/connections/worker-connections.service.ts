import { Injectable } from '@nestjs/common';
import type { BackendToWorker, Environment, SandboxLevel, WorkerToBackend } from '@trawl/contracts';
import type { Socket } from 'socket.io';

export type WorkerSocket = Socket<WorkerToBackend, BackendToWorker>;

/** The connection of a worker to this backend, from its `hello` until it disconnects. */
export interface WorkerLink {
  readonly workerId: string;
  readonly name: string;
  readonly epoch: number;
  readonly bootId: string;
  /** Version of the worker protocol that the worker speaks. */
  readonly protocol: number;
  /** Number of runs that the worker takes at once. Each heartbeat may change it. */
  slots: number;
  readonly environments: readonly Environment[];
  readonly sandbox: SandboxLevel;
  /** The connection's socket. Its `data.offers` counts the offers sent so far. */
  readonly socket: WorkerSocket;
  /** SHA-256 of the key that the worker used to connect. */
  readonly keyHash: Buffer;
  /** True if the worker was told to restart. It gets no more runs. */
  draining: boolean;
  /** Runs that were offered to the worker since it started and have not ended: the id of each run's account, by run. */
  readonly offered: Map<string, string>;
  /** Runs for which a slot is reserved, but no offer has been sent yet: the id of each run's account, by run. */
  readonly reserved: Map<string, string>;
  /** Ids of runs that the worker reported as ended, before it has sent their final message. */
  readonly done: ReadonlySet<string>;
}

export const freeSlots = (link: WorkerLink): number =>
  link.draining ? 0 : Math.max(0, link.slots - link.offered.size - link.reserved.size);

/** Number of slots of a worker that the runs of one account may take. */
export const accountSlots = (slots: number, percent: number): number => Math.ceil((slots * percent) / 100);

/** Number of free slots that runs of this account may take. */
export function freeSlotsFor(link: WorkerLink, ownerId: string, percent: number): number {
  const taken = [...link.offered.values(), ...link.reserved.values()].filter(owner => owner === ownerId).length;
  return Math.max(0, Math.min(freeSlots(link), accountSlots(link.slots, percent) - taken));
}

/** Whether an account has all the slots that it may take, so its waiting runs may have to wait although slots are free. */
export function isAnyAccountFull(link: WorkerLink, percent: number): boolean {
  const owners = new Set([...link.offered.values(), ...link.reserved.values()]);
  return [...owners].some(ownerId => freeSlotsFor(link, ownerId, percent) === 0);
}

/** The workers connected to this backend. */
@Injectable()
export class WorkerConnections {
  readonly #links = new Map<string, WorkerLink>();

  get(workerId: string): WorkerLink | undefined {
    return this.#links.get(workerId);
  }

  all(): IterableIterator<WorkerLink> {
    return this.#links.values();
  }

  /** Adds a connection. Closes an older connection of the same worker. */
  add(link: WorkerLink): void {
    const older = this.#links.get(link.workerId);
    this.#links.set(link.workerId, link);
    if (older && older.socket !== link.socket) older.socket.disconnect(true);
  }

  /** Removes a connection. Returns false if a newer connection of the worker has already replaced it. */
  remove(link: WorkerLink): boolean {
    if (this.#links.get(link.workerId) !== link) return false;
    return this.#links.delete(link.workerId);
  }
}
