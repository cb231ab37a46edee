import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { FIRES_SORTABLE } from './schedule-fires.repository.js';
import { ScheduleFiresService } from './schedule-fires.service.js';
import { SchedulerService } from './scheduler.service.js';
import {
  CreateScheduleDto,
  FireHoursDto,
  FireHoursQuery,
  FiresListQuery,
  PreviewDto,
  PreviewQuery,
  ScheduleDto,
  ScheduleFireDto,
  SchedulesListQuery,
  UpdateScheduleDto,
} from './schedules.dto.js';
import { SchedulesService, SORTABLE } from './schedules.service.js';

@ApiTags('Schedules')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly scheduler: SchedulerService,
    private readonly fires: ScheduleFiresService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSchedules',
    summary: 'List schedules',
    description: 'Lists your schedules, newest first. `next_fires` is not included.',
  })
  @ApiListResponse(ScheduleDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SchedulesListQuery): Promise<List<ScheduleDto>> {
    return this.schedules.list(user.id, query);
  }

  @Get('preview')
  @ApiOperation({
    operationId: 'previewSchedule',
    summary: 'Preview a cron span',
    description:
      'Shows the next times of a cron span (a cron expression) in a time zone, before you create a schedule with it.',
  })
  @ApiOkResponse({ type: PreviewDto })
  preview(@Query() query: PreviewQuery): Promise<PreviewDto> {
    return this.schedules.preview(query);
  }

  @Get('fires-by-hour')
  @ApiOperation({
    operationId: 'countFiresByHour',
    summary: 'Count fires by hour',
    description: 'Counts the fires of schedules in each hour, by outcome and by the state of their runs.',
  })
  @ApiOkResponse({ type: FireHoursDto })
  countFires(@CurrentUser() user: SessionUser, @Query() query: FireHoursQuery): Promise<FireHoursDto> {
    return this.fires.byHour(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSchedule',
    summary: 'Add a schedule',
    description:
      'Creates a schedule, which fires from now on. Its skript, values and worker must exist; each fire checks them again.',
  })
  @ApiCreatedResponse({ type: ScheduleDto })
  @ApiErrors('not_found', 'name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateScheduleDto): Promise<ScheduleDto> {
    return this.schedules.create(user.id, body);
  }

  @Get(':schedule_id')
  @ApiOperation({
    operationId: 'getSchedule',
    summary: 'Get a schedule',
    description: 'Returns one schedule with its latest runs and its next five fires.',
  })
  @ApiOkResponse({ type: ScheduleDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('schedule_id') id: string): Promise<ScheduleDto> {
    return this.schedules.get(user.id, id);
  }

  @Put(':schedule_id')
  @ApiOperation({
    operationId: 'updateSchedule',
    summary: 'Change a schedule',
    description:
      'Changes the fields that you send. If you enable the schedule or change its span or time zone, it fires from now on.',
  })
  @ApiOkResponse({ type: ScheduleDto })
  @ApiErrors('not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('schedule_id') id: string,
    @Body() body: UpdateScheduleDto,
  ): Promise<ScheduleDto> {
    return this.schedules.update(user.id, id, body);
  }

  @Delete(':schedule_id')
  @ApiOperation({
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule',
    description:
      'Deletes a schedule and its list of fires. Its live runs continue, and all its runs stay in the list of runs.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('schedule_id') id: string): Promise<DeletedDto> {
    return this.schedules.delete(user.id, id);
  }

  @Post(':schedule_id/trigger')
  @Idempotent()
  @NeedsScope('run')
  @ApiOperation({
    operationId: 'triggerSchedule',
    summary: 'Fire a schedule now',
    description:
      'Fires the schedule once, now, even if it is disabled. The schedule’s own rules apply; the answer says whether it made a run, and if not, why. The next regular fire is unchanged.',
  })
  @ApiCreatedResponse({ type: ScheduleFireDto })
  @ApiErrors('not_found')
  async trigger(@CurrentUser() user: SessionUser, @PathId('schedule_id') id: string): Promise<ScheduleFireDto> {
    return this.fires.at(id, await this.scheduler.fireNow(user.id, id));
  }

  @Get(':schedule_id/fires/list')
  @ApiOperation({
    operationId: 'listScheduleFires',
    summary: 'List fires',
    description: 'Lists the fires of a schedule and the outcome of each, latest first.',
  })
  @ApiListResponse(ScheduleFireDto, FIRES_SORTABLE)
  @ApiErrors('not_found')
  listFires(
    @CurrentUser() user: SessionUser,
    @PathId('schedule_id') id: string,
    @Query() query: FiresListQuery,
  ): Promise<List<ScheduleFireDto>> {
    return this.fires.list(user.id, id, query);
  }
}
