import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../../platform/common/entity.js';
import { IntField } from '../../../platform/http/fields.js';

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

export class CreateDemoAccountDto {
  @IntField({
    description: 'After this number of days, Trawl deletes the account.',
    min: 1,
    max: 90,
    default: 14,
    optional: true,
  })
  days = 14;
}

export class DemoAccountDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'The visitor’s e-mail address.', example: 'ada@example.com' })
  username!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The password, which Trawl shows only now. Null if an SMTP server is configured: then the visitor gets an e-mail with a link to set one.',
    example: null,
  })
  password!: string | null;
  @ApiProperty({
    format: 'date-time',
    description: 'Expiry of the account: its sign-in is blocked, and Trawl deletes it.',
  })
  expires_at!: string;
}
