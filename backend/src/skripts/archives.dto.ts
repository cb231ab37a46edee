import { ApiProperty, OmitType } from '@nestjs/swagger';
import { SkriptDto } from './skripts.dto.js';
import { ChangesDto } from './versions.dto.js';

class SecretChangesDto extends OmitType(ChangesDto, ['removed']) {}

export class UploadedSkriptDto {
  @ApiProperty({
    description: 'True when you had a skript of this title, which is now as the archive says.',
    example: false,
  })
  overwritten!: boolean;
  @ApiProperty()
  skript!: SkriptDto;
  @ApiProperty({ description: 'What became of the skript’s files.' })
  files!: ChangesDto;
  @ApiProperty({ description: 'What became of its inputs.' })
  inputs!: ChangesDto;
  @ApiProperty({ description: 'What became of its input secrets; those that the archive does not have stay.' })
  input_secrets!: SecretChangesDto;
}
