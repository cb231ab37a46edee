import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ECHO_TYPES, type Echo, type EchoType } from '@trawl/contracts';
import { BooleanField, EnumField, IntField, StringField } from '../../platform/http/fields.js';

const MAX_SEQ = 2_147_483_647;

export class EchoesListQuery {
  @IntField({ description: 'Maximum number of echoes to return.', min: 1, max: 1_000, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: 'Only echoes after this `seq`. Send `next_after_seq` of the previous page.',
    min: 0,
    max: MAX_SEQ,
    default: 0,
    optional: true,
  })
  after_seq = 0;

  @IntField({
    description:
      'Only echoes before this `seq`: the last `limit` of them, in ascending order. Send `next_before_seq` of a page to get the page before it, or the maximum to get the last page.',
    min: 1,
    max: MAX_SEQ,
    optional: true,
  })
  before_seq?: number;

  @BooleanField({
    description: 'Whether to count all echoes that match `type` and `contains`, in `matching`.',
    default: false,
    optional: true,
  })
  count = false;

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
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Send it as `before_seq` to get the page before; null on the first page.',
  })
  next_before_seq!: number | null;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'With `count=true`: number of saved echoes that match `type` and `contains`.',
  })
  matching?: number;
  @ApiPropertyOptional({
    description: 'With `count=true`: true if the run has so many echoes that Trawl stopped counting.',
  })
  matching_capped?: boolean;
}
