import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { BooleanField, Holding } from '../../../platform/http/fields.js';
import { SkriptDto } from '../skripts.dto.js';
import { ChangesDto } from '../versions/versions.dto.js';
import { MAX_ENTRIES } from './archive-texts.js';
import { ENCODINGS, MAX_NAME_CHARS } from './file-list.js';

class UploadFileDto {
  @ApiProperty({ description: 'Path inside the skript.', minLength: 1, maxLength: MAX_NAME_CHARS, example: 'main.js' })
  name!: string;
  @ApiProperty({ example: 'module.exports = async input => input;\n' })
  content!: string;
  @ApiPropertyOptional({ enum: ENCODINGS, default: 'utf-8', description: 'How `content` is written.' })
  encoding?: string;
}

export class UploadQuery {
  @BooleanField({
    description: 'If you have a skript of the same title: whether to overwrite it. With `false`, the call returns 409.',
    default: true,
    optional: true,
  })
  overwrite = true;
}

export class UploadFilesDto {
  @ApiProperty({
    description: 'The files, with `manifest.json` and `main.js` among them.',
    type: [UploadFileDto],
    minItems: 1,
    maxItems: MAX_ENTRIES,
    example: [
      { name: 'manifest.json', content: '{ "title": "Echo of the input" }' },
      { name: 'main.js', content: 'module.exports = async input => input;\n' },
    ],
  })
  // `readFileList` checks the items.
  @Holding('any JSON')
  @Allow()
  files!: unknown;
}

class SecretChangesDto extends OmitType(ChangesDto, ['removed']) {}

export class UploadedSkriptDto {
  @ApiProperty({
    description: 'True if the upload overwrote your skript of this title.',
    example: false,
  })
  overwritten!: boolean;
  @ApiProperty()
  skript!: SkriptDto;
  @ApiProperty({ description: 'Number of files by change.' })
  files!: ChangesDto;
  @ApiProperty({ description: 'Number of inputs by change.' })
  inputs!: ChangesDto;
  @ApiProperty({ description: 'Number of input secrets by change. The upload keeps those that the archive lacks.' })
  input_secrets!: SecretChangesDto;
  @ApiProperty({
    description:
      'Folders and files of the archive that Trawl did not store: installed packages, history, local settings, and files with tokens or private keys at any depth, and the folder `dist` beside `main.js`. At most 100 names.',
    example: ['node_modules/', '.env'],
  })
  skipped!: string[];
  @ApiProperty({
    description:
      'Fields of `manifest.json` that Trawl does not know, and did not store. Older manifests have some. At most 100 names.',
    example: ['version'],
  })
  ignored_fields!: string[];
}
