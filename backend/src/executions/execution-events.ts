import { Injectable } from '@nestjs/common';
import type { ExecutionUpdate } from '@trawl/contracts';
import { Subject } from 'rxjs';
import type { ExecutionDto } from './executions.dto.js';

export interface ExecutionChange extends ExecutionUpdate {
  owner_id: string;
  worker_id: string | null;
  /** The whole of it, of most that have ended for good. */
  ended?: ExecutionDto;
}

/** What changed in executions, told after the commit to whoever in this process wants to know. */
@Injectable()
export class ExecutionEvents {
  readonly changes = new Subject<ExecutionChange>();
  /** Ids of runs that a worker, connected to this process, has taken. */
  readonly accepted = new Subject<string>();
}
