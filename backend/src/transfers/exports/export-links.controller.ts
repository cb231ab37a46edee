import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../platform/auth/auth.guard.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { StringField } from '../../platform/http/fields.js';
import { PathId } from '../../platform/http/path-id.js';
import { ExportsService } from './exports.service.js';
import { FILE_CONTENT } from './formats/formats.js';
import { sendFile } from './send-file.js';

class LinkQuery {
  @StringField({ description: 'The signature in the link.', example: 'kZ1…', min: 1, max: 100 })
  signature!: string;
}

@ApiTags('Exports')
@Public()
@Controller('joint-api/export-links')
export class ExportLinksController {
  constructor(private readonly exports: ExportsService) {}

  @Get(':export_id')
  @ApiOperation({
    operationId: 'downloadExportByLink',
    summary: 'Download the file of an export by its link',
    description:
      'Returns the file to anyone who has the link, which e-mails and webhooks contain. No token needed. HEAD and `Range` work.',
  })
  @ApiOkResponse({ content: FILE_CONTENT })
  @ApiErrors('validation_failed', 'not_found')
  async download(
    @PathId('export_id') id: string,
    @Query() { signature }: LinkQuery,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, id, await this.exports.linkedFile(id, signature));
  }
}
