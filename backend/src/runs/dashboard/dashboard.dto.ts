import { ApiProperty } from '@nestjs/swagger';
import { QuotaUsesDto } from '../../platform/quotas/quotas.dto.js';
import { ListedExecutionDto, NamedDto } from '../executions/records/executions.dto.js';
import { IssueDto } from '../issues/issues.dto.js';
import { FREE_WORKER_STATES, type FreeWorkerState } from '../workers/free-workers.service.js';
import { ActionCountsDto } from './action-counts.dto.js';

export class NewestSkriptDto {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  id!: string;
  @ApiProperty({ example: 'Bookshop prices' })
  title!: string;
}

export class SkriptFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Number of skripts.', example: 12 })
  total!: number;
  @ApiProperty({ type: NewestSkriptDto, nullable: true, description: 'The skript changed most recently.' })
  newest!: NewestSkriptDto | null;
}

export class RunsTodayDto extends ActionCountsDto {
  @ApiProperty({ type: 'integer', description: 'Number of runs since midnight UTC, including retries.', example: 61 })
  total!: number;
  @ApiProperty({
    description: 'True if there are more than 10,000 runs; the figures then count only the newest 10,000.',
  })
  capped!: boolean;
}

export class RunFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Number of runs on a worker now.', example: 2 })
  under_way!: number;
  @ApiProperty({ type: 'integer', description: 'Number of runs waiting for a worker or for their retry.', example: 0 })
  waiting!: number;
  @ApiProperty()
  today!: RunsTodayDto;
}

export class WorkerFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Number of workers online.', example: 1 })
  online!: number;
  @ApiProperty({ type: 'integer', example: 1 })
  total!: number;
}

export class OpenIssuesDto {
  @ApiProperty({ type: 'integer', description: 'Number of open issues, counted up to 10,000.', example: 2 })
  total!: number;
  @ApiProperty({ type: [IssueDto], description: 'The five issues with the latest failures.' })
  newest!: IssueDto[];
}

export class LateDto {
  @ApiProperty({
    enum: ['run', 'schedule'],
    description:
      '`run`: it has waited for more than a minute, and not for a retry. `schedule`: its last fire had a problem, or its next one is overdue.',
  })
  kind!: 'run' | 'schedule';
  @ApiProperty({ format: 'uuid', description: 'Id of the run or the schedule.' })
  id!: string;
  @ApiProperty({ description: 'Name of the skript or the schedule.', example: 'Books, every morning' })
  name!: string;
  @ApiProperty({ format: 'date-time' })
  since!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why: the reason code for which the run waits, or the problem of the schedule in words.',
    example: 'worker_busy',
  })
  reason!: string | null;
}

export class LateListDto {
  @ApiProperty({ type: 'integer', example: 1 })
  total!: number;
  @ApiProperty({ type: [LateDto], description: 'The five runs or schedules that have been late for the longest time.' })
  items!: LateDto[];
}

export class BrokenSkriptDto {
  @ApiProperty()
  skript!: NamedDto;
  @ApiProperty({ format: 'uuid', description: 'Id of its latest broken run.' })
  execution_id!: string;
  @ApiProperty({ example: 'price was filled in 98 % of rows, now in 41 %.', description: 'The worst finding.' })
  text!: string;
  @ApiProperty({ format: 'date-time' })
  ended_at!: string;
}

export class BrokenRowsDto {
  @ApiProperty({ type: 'integer', example: 1 })
  total!: number;
  @ApiProperty({ type: [BrokenSkriptDto], description: 'The five skripts whose rows broke last.' })
  items!: BrokenSkriptDto[];
}

export class LastHourDto {
  @ApiProperty({ type: 'integer', description: 'Number of runs that were created.', example: 240 })
  runs!: number;
  @ApiProperty({ description: 'True if there are more than 10,000; the figures then count only the newest 10,000.' })
  capped!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Number of these runs that ended without being stopped, with or without an error.',
    example: 236,
  })
  ended!: number;
  @ApiProperty({ type: 'integer', description: 'How many of them ended with an error.', example: 3 })
  failed!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Time within which workers took 95 % of the runs that have a worker, in ms. Null if no worker has taken one.',
    example: 48,
  })
  wait_ms_p95!: number | null;
}

export class PlatformFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Number of accounts that are not disabled.', example: 14 })
  users!: number;
  @ApiProperty({ type: 'integer', example: 230 })
  skripts!: number;
  @ApiProperty()
  runs!: RunFiguresDto;
  @ApiProperty({ description: 'All workers.' })
  workers!: WorkerFiguresDto;
  @ApiProperty({
    type: 'integer',
    description: 'Bytes in the databases of all accounts, of MongoDB and PostgreSQL, at the last measurement.',
    example: 52_428_800,
  })
  storage_bytes!: number;
  @ApiProperty({ description: 'Runs of the last hour.' })
  last_hour!: LastHourDto;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Longest wait of a waiting run, in ms, without retries. Null if no run waits.',
    example: null,
  })
  oldest_waiting_ms!: number | null;
  @ApiProperty({ type: 'integer', description: 'Number of accounts waiting for their free worker.', example: 0 })
  waiting_for_worker!: number;
  @ApiProperty({ type: 'integer', description: 'Number of contact messages in the last 24 hours.', example: 1 })
  contact_messages!: number;
}

export class OwnRunFiguresDto extends RunFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Number of saved runs, counted up to 10,000.', example: 418 })
  total!: number;
  @ApiProperty({ description: 'True if there are more runs than `total`.' })
  total_capped!: boolean;
}

export class DashboardDto {
  @ApiProperty()
  skripts!: SkriptFiguresDto;
  @ApiProperty()
  runs!: OwnRunFiguresDto;
  @ApiProperty({ description: 'Workers that can run your skripts.' })
  workers!: WorkerFiguresDto;
  @ApiProperty({ description: 'Limit and usage of each quota.' })
  quotas!: QuotaUsesDto;
  @ApiProperty({
    enum: FREE_WORKER_STATES,
    nullable: true,
    description: '`waiting` until the account gets the free worker of the FREE PACK, as in the account.',
  })
  free_worker!: FreeWorkerState | null;
  @ApiProperty({ description: 'Open issues.' })
  issues!: OpenIssuesDto;
  @ApiProperty({ description: 'Late runs and schedules.' })
  late!: LateListDto;
  @ApiProperty({
    description:
      'Skripts with broken rows that you have not accepted, if no later run with the same input has a better verdict.',
  })
  broken_rows!: BrokenRowsDto;
  @ApiProperty({ type: [ListedExecutionDto], description: 'The eight newest runs that have not ended, newest first.' })
  live_runs!: ListedExecutionDto[];
  @ApiProperty({ type: [ListedExecutionDto], description: 'The eight newest runs, newest first.' })
  recent_runs!: ListedExecutionDto[];
  @ApiProperty({ type: PlatformFiguresDto, nullable: true, description: 'Administrators only; null for others.' })
  platform!: PlatformFiguresDto | null;
}
