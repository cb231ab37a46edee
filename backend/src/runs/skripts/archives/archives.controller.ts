import { Body, Controller, Get, HttpCode, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import type { Response } from 'express';
import { Audited } from '../../../platform/audit/audited.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ArchiveBody, TakesArchive } from '../../../platform/http/body/archive-body.js';
import { fileNameOf } from '../../../platform/http/file-name.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { readArchive } from './archive-reader.js';
import { UploadedSkriptDto, UploadFilesDto, UploadQuery } from './archives.dto.js';
import { ArchivesService } from './archives.service.js';
import { readFileList } from './file-list.js';

const UPLOAD_ERRORS = [
  'archive_invalid',
  'manifest_missing',
  'manifest_invalid',
  'main_missing',
  'name_taken',
  'payload_too_large',
  'quota_exceeded',
] as const;

const AuditedUpload = () => Audited('skript', ({ skript }: UploadedSkriptDto) => skript);

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class ArchivesController {
  constructor(private readonly archives: ArchivesService) {}

  @Post('upload')
  @HttpCode(200)
  @AuditedUpload()
  @Idempotent()
  @TakesArchive({
    operationId: 'uploadSkript',
    summary: 'Upload a skript as one archive',
    description: `Send a form with one file, or with \`Content-Type: application/zip\` the file itself: a zip of up to ${LIMITS.archiveBytes} bytes, packed and unpacked, with \`manifest.json\` (the fields of the skript), \`main.js\`, other files, inputs (\`input….json\`) and input secrets (\`inputSecret….json\`). One folder may hold them all. If you have a skript of the same title, the upload overwrites its settings, files and inputs, and keeps input secrets that the archive lacks. Trawl does not store installed packages, builds, history, and files with tokens or private keys; \`skipped\` names them. An upload succeeds or fails as a whole; live runs are not affected.`,
  })
  @ApiOkResponse({ type: UploadedSkriptDto })
  @ApiErrors(...UPLOAD_ERRORS, 'title_taken', 'too_many_requests')
  async upload(
    @CurrentUser() user: SessionUser,
    @Query() { overwrite }: UploadQuery,
    @ArchiveBody() archive: Buffer,
  ): Promise<UploadedSkriptDto> {
    return this.archives.upload(user.id, await readArchive(archive), overwrite);
  }

  @Post('upload-files')
  @HttpCode(200)
  @AuditedUpload()
  @Idempotent()
  @ApiOperation({
    operationId: 'uploadSkriptFiles',
    summary: 'Upload a skript as a list of files',
    description:
      'Does the same as the upload of an archive, with the files as JSON. A body has at most 3 MiB; send a larger skript as an archive.',
  })
  @ApiOkResponse({ type: UploadedSkriptDto })
  @ApiErrors(...UPLOAD_ERRORS)
  async uploadFiles(@CurrentUser() user: SessionUser, @Body() body: UploadFilesDto): Promise<UploadedSkriptDto> {
    return this.archives.upload(user.id, await readFileList(body.files));
  }

  @Get(':skript_id/download')
  @ApiOperation({
    operationId: 'downloadSkript',
    summary: 'Download a skript as one archive',
    description:
      'Returns a zip with manifest.json, files and inputs, which you can upload again. It never contains input secrets.',
  })
  @ApiOkResponse({ content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } })
  @ApiErrors('not_found', 'payload_too_large')
  async download(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { title, zip } = await this.archives.download(user.id, id);
    // `attachment` escapes the file name, so a title cannot inject a header.
    response.attachment(`${fileNameOf(title, 'skript')}.zip`);
    return new StreamableFile(zip, { type: 'application/zip' });
  }
}
