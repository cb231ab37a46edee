import { ApiProperty } from '@nestjs/swagger';
import { ECHO_TYPES, type Echo, type EchoType } from '@trawl/contracts';
import { EnumField, IntField, StringField } from '../http/fields.js';

export class EchoesListQuery {
  @IntField({ description: 'Maximum number of echoes to return.', min: 1, max: 1_000, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: 'Only echoes after this `seq`. Send `next_after_seq` of the previous page.',
    min: 0,
    max: 2_147_483_647,
    default: 0,
    optional: true,
  })
  after_seq = 0;

  @EnumField(ECHO_TYPES, { description: 'Only echoes of this type.', optional: true })
  type?: EchoType;

  @StringField({
    description: 'Only echoes whose text contains this. Upper and lower case are the same.',
    max: 200,
    optional: true,
  })
  contains?: string;
}

export class EchoDto implements Echo {
  @ApiProperty({ enum: ECHO_TYPES })
  type!: EchoType;
  @ApiProperty({
    description: 'The text; JSON text for `objekt`, a `data:` URL for `image`.',
    example: 'page 3 of 50',
  })
  msg!: string;
  @ApiProperty({ format: 'date-time' })
  time!: string;
  @ApiProperty({ type: 'integer', description: 'Number of the echo within its run, from 1.' })
  seq!: number;
}

export class EchoListDto {
  @ApiProperty({ type: 'integer', description: 'Number of echoes known so far.' })
  total!: number;
  @ApiProperty({ type: [EchoDto] })
  items!: EchoDto[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Send it as `after_seq` to get the next page; null on the last page.',
  })
  next_after_seq!: number | null;
}
