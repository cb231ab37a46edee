import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../common/entity.js';

export class ContactMessageDto extends EntityDto {
  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string;
  @ApiProperty({ example: 'ada@example.com' })
  email!: string;
  @ApiProperty({ example: 'Croatia' })
  country!: string;
  @ApiProperty({ example: 'Pricing Inquiry' })
  subject!: string;
  @ApiProperty()
  msg!: string;
  @ApiProperty({ description: 'The visitor’s address as the browser sent it. May be empty.' })
  ip!: string;
  @ApiProperty({ description: 'The visitor’s address as the server saw it.', example: '203.0.113.7' })
  seen_ip!: string;
  @ApiProperty({ description: 'When the message was sent, by the visitor’s clock.' })
  time!: string;
  @ApiProperty({ description: 'The page with the form.' })
  referer!: string;
}
