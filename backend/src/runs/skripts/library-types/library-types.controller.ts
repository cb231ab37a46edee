import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { LibraryTypesDto } from './library-types.dto.js';
import { LibraryTypesService } from './library-types.service.js';

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class LibraryTypesController {
  constructor(private readonly types: LibraryTypesService) {}

  @Get(':skript_id/library-types')
  @ApiOperation({
    operationId: 'getLibraryTypes',
    summary: 'Get the types of a skript’s npm libraries',
    description:
      'Returns the TypeScript declarations of the libraries in `package.json`, and of the packages `@types/…` in its `devDependencies`. For a library without declarations, it takes the declarations of `@types/…` if the npm registry has them. The editor of the panel uses this call. Libraries that every run has are not included.',
  })
  @ApiOkResponse({ type: LibraryTypesDto })
  @ApiErrors('not_found', 'too_many_requests')
  get(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<LibraryTypesDto> {
    return this.types.ofSkript(user.id, id);
  }
}
