import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { BundleDto } from './bundles.dto.js';
import { BundlesService } from './bundles.service.js';

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class BundlesController {
  constructor(private readonly bundles: BundlesService) {}

  @Post(':skript_id/bundle')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'bundleSkript',
    summary: 'Build the bundle of a skript',
    description: 'Puts main.js and everything it imports into one file, which runs execute.',
  })
  @ApiOkResponse({ type: BundleDto })
  @ApiErrors('not_found', 'main_missing', 'bundle_failed', 'too_many_requests')
  bundle(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<BundleDto> {
    return this.bundles.build(user.id, id);
  }
}
