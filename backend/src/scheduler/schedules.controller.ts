import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { ScheduleFiresService } from './schedule-fires.service.js';
import { SchedulerService } from './scheduler.service.js';
import {
  CreateScheduleDto,
  FiresListQuery,
  PreviewDto,
  PreviewQuery,
  ScheduleDto,
  ScheduleFireDto,
  SchedulesListQuery,
  UpdateScheduleDto,
} from './schedules.dto.js';
import { SchedulesService } from './schedules.service.js';

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
    description: 'Your schedules, the newest first; without their next fires but the first.',
  })
  @ApiListResponse(ScheduleDto)
  list(@CurrentUser() user: SessionUser, @Query() query: SchedulesListQuery): Promise<List<ScheduleDto>> {
    return this.schedules.list(user.id, query);
  }

  @Get('preview')
  @ApiOperation({
    operationId: 'previewSchedule',
    summary: 'Preview a cron span',
    description: 'When a span fires in a time zone, before a schedule is made of it.',
  })
  @ApiOkResponse({ type: PreviewDto })
  preview(@Query() query: PreviewQuery): Promise<PreviewDto> {
    return this.schedules.preview(query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSchedule',
    summary: 'Add a schedule',
    description: 'It fires from now on. What it names has to be there, and is looked for again at each fire.',
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
    description: 'One schedule with its latest runs and its next five fires.',
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
      'Fields that are not sent stay as they are. A schedule that is enabled again, or gets another span or time zone, fires from now on.',
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
    description: 'Deletes a schedule with its record of fires. Its runs go on, and stay in the list of runs.',
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
      'Fires once, now, whether it is enabled or not, by the schedule’s own rules: the answer says whether that made a run, and if not, why. The times at which it is due stay as they are.',
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
    description: 'Each time at which the schedule was due and what became of it, the latest first.',
  })
  @ApiListResponse(ScheduleFireDto)
  @ApiErrors('not_found')
  listFires(
    @CurrentUser() user: SessionUser,
    @PathId('schedule_id') id: string,
    @Query() query: FiresListQuery,
  ): Promise<List<ScheduleFireDto>> {
    return this.fires.list(user.id, id, query);
  }
}
