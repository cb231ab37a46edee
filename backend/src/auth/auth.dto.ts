import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, ROLES, type Role } from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { StringField } from '../common/fields.js';
import { QuotaUsesDto } from '../quotas/quotas.dto.js';
import { FREE_WORKER_STATES, type FreeWorkerState } from '../workers/free-workers.service.js';

export class LoginDto {
  @StringField({ description: 'The account’s name or e-mail.', example: 'developer', min: 1, max: 254 })
  username!: string;

  @StringField({
    description: 'The password.',
    example: 'correct horse battery staple',
    min: 1,
    max: 1024,
    format: 'password',
  })
  password!: string;
}

export class LoggedUserDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'developer' })
  username!: string;
  @ApiProperty({ enum: ROLES })
  role!: Role;
}

export class LoginAnswerDto {
  @ApiProperty({ description: 'Send it as `Authorization: Bearer <jwtToken>`. It lasts five hours.' })
  jwtToken!: string;
  @ApiProperty({ type: LoggedUserDto })
  loggedUser!: LoggedUserDto;
  @ApiProperty({ example: 'Signed in as developer.' })
  message!: string;
}

export class ChangePasswordDto {
  @StringField({
    description: 'The password as it is.',
    min: 1,
    max: 1024,
    format: 'password',
    example: 'lantern and rope',
  })
  current_password!: string;

  @StringField({
    description: 'The password to be.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'a text of more than blanks',
    format: 'password',
  })
  new_password!: string;
}

export class MessageDto {
  @ApiProperty({ example: 'Signed out.' })
  message!: string;
}

export class AccountDto extends EntityDto {
  @ApiProperty({ example: 'developer' })
  username!: string;
  @ApiProperty({ enum: ROLES })
  role!: Role;
  @ApiProperty({
    enum: FREE_WORKER_STATES,
    nullable: true,
    description:
      'The free worker of the FREE PACK: `waiting` until one with the full sandbox is connected. Null for the accounts of the first start, which have none.',
  })
  free_worker!: FreeWorkerState | null;

  @ApiProperty({ description: 'What the account may have of each, and what it has.' })
  quotas!: QuotaUsesDto;
}
