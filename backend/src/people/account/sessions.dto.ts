import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../platform/common/entity.js';

export class SessionDto extends EntityDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address of the client that signed in. Null if it was not recorded.',
    example: '203.0.113.7',
  })
  ip!: string | null;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-15T14:30:00.000Z' })
  expires_at!: string;
  @ApiProperty({ description: 'True for the session that this call was made with.', example: true })
  current!: boolean;
}

export class RenewedSessionDto {
  @ApiProperty({ description: 'The new token.', example: 'eyJhbGciOi…' })
  jwtToken!: string;
}
