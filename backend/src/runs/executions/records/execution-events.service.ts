import { Injectable } from '@nestjs/common';
import type { ExecutionUpdate } from '@trawl/contracts';
import { Subject } from 'rxjs';
import type { ExecutionDto } from './executions.dto.js';

export interface ExecutionChange extends ExecutionUpdate {
  owner_id: string;
  worker_id: string | null;
  /** The complete execution; set for most runs that ended without a retry. */
  ended?: ExecutionDto | undefined;
}

export type FreedSlot = Pick<ExecutionChange, 'owner_id'> & { worker_id: string };

type PublishedChange = Pick<ExecutionChange, 'id' | 'owner_id' | 'worker_id' | 'action' | 'ended'> &
  Partial<Pick<ExecutionChange, 'waiting_for' | 'error_code'>> & { updated_at: Date | string };

/** Tells the rest of this process about changes of executions, always after their commit. */
@Injectable()
export class ExecutionEvents {
  readonly #changes = new Subject<ExecutionChange>();
  readonly #freed = new Subject<FreedSlot>();
  readonly #accepted = new Subject<string>();

  readonly changes = this.#changes.asObservable();
  /** Slots of workers whose run has ended. They come before the end in `changes`, which may wait for a verdict. */
  readonly freed = this.#freed.asObservable();
  /** Ids of runs that a worker connected to this process has accepted. */
  readonly accepted = this.#accepted.asObservable();

  publish({ updated_at, ...change }: PublishedChange): void {
    this.#changes.next({
      waiting_for: null,
      error_code: null,
      ...change,
      updated_at: typeof updated_at === 'string' ? updated_at : updated_at.toISOString(),
    });
  }

  publishFreed(slot: FreedSlot): void {
    this.#freed.next(slot);
  }

  publishAccepted(executionId: string): void {
    this.#accepted.next(executionId);
  }
}
