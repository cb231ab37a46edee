import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathDomain } from './path-domain.js';
import { PoliteDomainDto, PoliteDomainsQuery, PoliteSettingsDto } from './polite-domains.dto.js';
import { PoliteSettingsRepository, SORTABLE } from './polite-settings.repository.js';

@ApiTags('Polite domains')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/polite-domains')
export class PoliteDomainsController {
  constructor(private readonly settings: PoliteSettingsRepository) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listPoliteDomains',
    summary: 'List polite domains',
    description: 'Lists domains with settings, and domains to which your polite runs have just sent requests.',
  })
  @ApiListResponse(PoliteDomainDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: PoliteDomainsQuery): Promise<List<PoliteDomainDto>> {
    return this.settings.list(user.id, query);
  }

  @Get(':domain')
  @ApiOperation({
    operationId: 'getPoliteDomain',
    summary: 'Get the budget of a domain',
    description: 'Returns the budget that applies to a domain, whether or not a run has used the domain.',
  })
  @ApiOkResponse({ type: PoliteDomainDto })
  get(@CurrentUser() user: SessionUser, @PathDomain() domain: string): Promise<PoliteDomainDto> {
    return this.settings.get(user.id, domain);
  }

  @Put(':domain')
  @ApiOperation({
    operationId: 'setPoliteDomain',
    summary: 'Set the budget of a domain',
    description:
      'Replaces the settings of a domain, or of all domains without settings of their own (`*`). A field that you omit gets the default of Trawl. Applies to live runs within seconds.',
  })
  @ApiOkResponse({ type: PoliteDomainDto })
  @ApiErrors('quota_exceeded')
  set(
    @CurrentUser() user: SessionUser,
    @PathDomain() domain: string,
    @Body() body: PoliteSettingsDto,
  ): Promise<PoliteDomainDto> {
    return this.settings.set(user.id, domain, body);
  }

  @Post(':domain/reopen')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'reopenPoliteDomain',
    summary: 'Reopen a domain',
    description: 'Lets polite runs send requests at once to a domain that answered 429 or 503.',
  })
  @ApiOkResponse({ type: PoliteDomainDto })
  reopen(@CurrentUser() user: SessionUser, @PathDomain() domain: string): Promise<PoliteDomainDto> {
    return this.settings.reopen(user.id, domain);
  }

  @Delete(':domain')
  @ApiOperation({
    operationId: 'resetPoliteDomain',
    summary: 'Reset the budget of a domain',
    description:
      'Deletes the settings of a domain. The default of the account then applies, or else the default of Trawl.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  reset(@CurrentUser() user: SessionUser, @PathDomain() domain: string): Promise<DeletedDto> {
    return this.settings.reset(user.id, domain);
  }
}
