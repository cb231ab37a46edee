import { Body, Controller, Delete, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { DeletedDto } from '../common/entity.js';
import { ApiErrors } from '../http/api-errors.js';
import { MaintenanceDto, StartMaintenanceDto } from './maintenance.dto.js';
import { MaintenanceService } from './maintenance.service.js';

@ApiTags('Maintenance')
@ApiBearerAuth()
@Roles('admin')
@Controller('joint-api/maintenance')
export class MaintenanceController {
  constructor(private readonly maintenance: MaintenanceService) {}

  @Put()
  @ApiOperation({
    operationId: 'startMaintenance',
    summary: 'Start or change a maintenance',
    description:
      'While a maintenance lasts, schedules do not fire and workers get no new runs; runs on a worker continue. New runs wait with the reason `maintenance`. Every account sees the message in `GET /joint-api/account`. Call again to change the message and the end.',
  })
  @ApiOkResponse({ type: MaintenanceDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  start(@Body() body: StartMaintenanceDto): Promise<MaintenanceDto> {
    return this.maintenance.start(body);
  }

  @Delete()
  @ApiOperation({
    operationId: 'endMaintenance',
    summary: 'End the maintenance',
    description:
      'Waiting runs start, and schedules fire again. Each schedule handles its missed fires as its `catch_up` says.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('unauthorized', 'forbidden', 'not_found')
  end(): Promise<DeletedDto> {
    return this.maintenance.end();
  }
}
