import { Controller, Get, HttpCode, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import type { Response } from 'express';
import { ArchiveBody, TakesArchive } from '../archive-body.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { UploadedSkriptDto } from './archives.dto.js';
import { ArchivesService } from './archives.service.js';

const FILE_NAME_CHARS = 100;

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class ArchivesController {
  constructor(private readonly archives: ArchivesService) {}

  @Post('upload')
  @HttpCode(200)
  @Idempotent()
  @TakesArchive({
    operationId: 'uploadSkript',
    summary: 'Upload a skript as one archive',
    description: `A zip of up to ${LIMITS.archiveBytes} bytes, and as many unpacked, with \`manifest.json\` (the fields of the skript), \`main.js\`, further files, inputs (\`input….json\`) and input secrets (\`inputSecret….json\`), in the archive itself or in one folder. A skript that you have of the same title is overwritten, and the answer says so: settings, files and inputs are then those of the archive, and input secrets that it does not have stay. It is done in full or not at all; runs that go on are not touched.`,
  })
  @ApiOkResponse({ type: UploadedSkriptDto })
  @ApiErrors(
    'archive_invalid',
    'manifest_missing',
    'manifest_invalid',
    'main_missing',
    'name_taken',
    'payload_too_large',
    'quota_exceeded',
    'too_many_requests',
  )
  upload(@CurrentUser() user: SessionUser, @ArchiveBody() archive: Buffer): Promise<UploadedSkriptDto> {
    return this.archives.upload(user.id, archive);
  }

  @Get(':skript_id/download')
  @ApiOperation({
    operationId: 'downloadSkript',
    summary: 'Download a skript as one archive',
    description: 'A zip that the upload takes again: manifest.json, files and inputs. Input secrets are never in it.',
  })
  @ApiOkResponse({ content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } })
  @ApiErrors('not_found', 'payload_too_large')
  async download(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { title, zip } = await this.archives.download(user.id, id);
    // Express writes the header so that any title is a file name, and none is another header.
    response.attachment(`${fileNameOf(title)}.zip`);
    return new StreamableFile(zip, { type: 'application/zip' });
  }
}

/** A title as the name of a file that any system can have, with nothing in it that shows as something else. */
function fileNameOf(title: string): string {
  const safe = title.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029/\\:*?"<>|]+/gu, '_').replaceAll(/^[ .]+|[ .]+$/g, '');
  return [...safe].slice(0, FILE_NAME_CHARS).join('').trim() || 'skript';
}
