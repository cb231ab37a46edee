import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';

export class SessionDto extends EntityDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The address that signed in; null: it was not kept.',
    example: '203.0.113.7',
  })
  ip!: string | null;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-15T14:30:00.000Z' })
  expires_at!: string;
  @ApiProperty({ description: 'Whether it is the one that this call came with.', example: true })
  current!: boolean;
}
