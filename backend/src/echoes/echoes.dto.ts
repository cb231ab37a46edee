import { ApiProperty } from '@nestjs/swagger';
import { ECHO_TYPES, type Echo, type EchoType } from '@trawl/contracts';
import { EnumField, IntField, StringField } from '../common/fields.js';

export class EchoesListQuery {
  @IntField({ description: 'How many echoes at most.', min: 1, max: 1_000, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: 'Only echoes after this `seq`; `next_after_seq` of the page before.',
    min: 0,
    max: 2_147_483_647,
    default: 0,
    optional: true,
  })
  after_seq = 0;

  @EnumField(ECHO_TYPES, { description: 'Only echoes of this type.', optional: true })
  type?: EchoType;

  @StringField({ description: 'Only echoes whose text has this in it, in any case.', max: 200, optional: true })
  contains?: string;
}

export class EchoDto implements Echo {
  @ApiProperty({ enum: ECHO_TYPES })
  type!: EchoType;
  @ApiProperty({
    description: 'Text; of an `objekt` JSON text, of an `image` a `data:` address.',
    example: 'page 3 of 50',
  })
  msg!: string;
  @ApiProperty({ format: 'date-time' })
  time!: string;
  @ApiProperty({ type: 'integer', description: 'Counts from 1 within a run.' })
  seq!: number;
}

export class EchoListDto {
  @ApiProperty({ type: 'integer', description: 'How many echoes the run has made, as far as is known now.' })
  total!: number;
  @ApiProperty({ type: [EchoDto] })
  items!: EchoDto[];
  @ApiProperty({ type: 'integer', nullable: true, description: '`after_seq` of the next page; null at the end.' })
  next_after_seq!: number | null;
}
