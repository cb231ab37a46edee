import { ApiProperty } from '@nestjs/swagger';
import { ACTIONS, type Action } from '@trawl/contracts';
import { ListedExecutionDto } from '../executions/executions.dto.js';
import { QuotaUsesDto } from '../quotas/quotas.dto.js';
import { FREE_WORKER_STATES, type FreeWorkerState } from '../workers/free-workers.service.js';

export class NewestSkriptDto {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  id!: string;
  @ApiProperty({ example: 'Bookshop prices' })
  title!: string;
}

export class SkriptFiguresDto {
  @ApiProperty({ type: 'integer', description: 'How many there are.', example: 12 })
  total!: number;
  @ApiProperty({ type: NewestSkriptDto, nullable: true, description: 'The one that was changed last.' })
  newest!: NewestSkriptDto | null;
}

export class RunsTodayDto implements Record<Action, number> {
  @ApiProperty({ type: 'integer', description: 'Runs since midnight, UTC, retries too.', example: 61 })
  total!: number;
  @ApiProperty({ description: 'True when there are more; then these are the figures of the newest 10,000.' })
  capped!: boolean;
  @ApiProperty({ type: 'integer', description: `Of them, by \`action\` (${ACTIONS.join(', ')}).`, example: 2 })
  start!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  pause!: number;
  @ApiProperty({ type: 'integer', example: 1 })
  stop!: number;
  @ApiProperty({ type: 'integer', example: 55 })
  end!: number;
  @ApiProperty({ type: 'integer', example: 3 })
  error!: number;
}

export class RunFiguresDto {
  @ApiProperty({ type: 'integer', description: 'How many are on a worker now.', example: 2 })
  under_way!: number;
  @ApiProperty({ type: 'integer', description: 'How many wait, for a worker or for their time.', example: 0 })
  waiting!: number;
  @ApiProperty()
  today!: RunsTodayDto;
}

export class WorkerFiguresDto {
  @ApiProperty({ type: 'integer', description: 'How many of them are online.', example: 1 })
  online!: number;
  @ApiProperty({ type: 'integer', example: 1 })
  total!: number;
}

export class PlatformFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Accounts that are not disabled.', example: 14 })
  users!: number;
  @ApiProperty({ type: 'integer', example: 230 })
  skripts!: number;
  @ApiProperty()
  runs!: RunFiguresDto;
  @ApiProperty({ description: 'All workers.' })
  workers!: WorkerFiguresDto;
  @ApiProperty({
    type: 'integer',
    description: 'Bytes in the MongoDB databases, as measured last.',
    example: 52_428_800,
  })
  storage_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Accounts that wait for their free worker.', example: 0 })
  waiting_for_worker!: number;
  @ApiProperty({ type: 'integer', description: 'Contact messages of the last 24 hours.', example: 1 })
  contact_messages!: number;
}

export class OwnRunFiguresDto extends RunFiguresDto {
  @ApiProperty({ type: 'integer', description: 'How many are kept, over or not; at most 10,000.', example: 418 })
  total!: number;
  @ApiProperty({ description: 'True when there are more than `total` says.' })
  total_capped!: boolean;
}

export class DashboardDto {
  @ApiProperty()
  skripts!: SkriptFiguresDto;
  @ApiProperty()
  runs!: OwnRunFiguresDto;
  @ApiProperty({ description: 'Workers that may run your skripts.' })
  workers!: WorkerFiguresDto;
  @ApiProperty({ description: 'What the account may have of each, and what it has.' })
  quotas!: QuotaUsesDto;
  @ApiProperty({
    enum: FREE_WORKER_STATES,
    nullable: true,
    description: 'As in the account: `waiting` until the free worker of the FREE PACK is there.',
  })
  free_worker!: FreeWorkerState | null;
  @ApiProperty({ type: [ListedExecutionDto], description: 'The newest eight, newest first.' })
  recent_runs!: ListedExecutionDto[];
  @ApiProperty({ type: PlatformFiguresDto, nullable: true, description: 'For administrators; null for others.' })
  platform!: PlatformFiguresDto | null;
}
