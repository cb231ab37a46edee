import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, ROLES, type Role } from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { StringField } from '../../platform/http/fields.js';
import { MaintenanceDto } from '../../platform/maintenance/maintenance.dto.js';
import { QuotaUsesDto } from '../../platform/quotas/quotas.dto.js';
import { FREE_WORKER_STATES, type FreeWorkerState } from '../../runs/workers/free-workers.service.js';
import { PreferencesDto } from './preferences.dto.js';

export class LoginDto {
  @StringField({
    description: 'User name: the e-mail address of the account, or a name such as `developer`.',
    example: 'developer',
    min: 1,
    max: 254,
  })
  username!: string;

  @StringField({
    description: 'Password.',
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
  @ApiProperty({
    description: 'Session token: send it as `Authorization: Bearer <jwtToken>`. It expires after five hours.',
  })
  jwtToken!: string;
  @ApiProperty({ type: LoggedUserDto })
  loggedUser!: LoggedUserDto;
  @ApiProperty({ example: 'Signed in as developer.' })
  message!: string;
}

export class ChangePasswordDto {
  @StringField({
    description: 'Your current password.',
    min: 1,
    max: 1024,
    format: 'password',
    example: 'lantern and rope',
  })
  current_password!: string;

  @StringField({
    description: 'Your new password.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'text with at least one visible character',
    format: 'password',
  })
  new_password!: string;
}

export class DeleteAccountDto {
  @StringField({ description: 'Your user name, to confirm.', example: 'ada@example.com', min: 1, max: 254 })
  username!: string;

  @StringField({
    description: 'Your password.',
    min: 1,
    max: 1024,
    format: 'password',
    example: 'lantern and rope',
  })
  password!: string;
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
      'State of the free worker from the FREE PACK: `waiting` until a worker with the full sandbox is available. Null for the accounts created at the first start, which get none.',
  })
  free_worker!: FreeWorkerState | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When Trawl closes and deletes the account; null if it does not expire.',
    example: null,
  })
  expires_at!: string | null;

  @ApiProperty({
    description:
      'Whether Trawl has an address for e-mails to the account: its user name, or `CONTACT_EMAIL` for the accounts created at the first start.',
  })
  has_email!: boolean;

  @ApiProperty({ description: 'Your preferences for the panel.' })
  preferences!: PreferencesDto;

  @ApiProperty({ description: 'Quotas of the account: limit and current use of each.' })
  quotas!: QuotaUsesDto;

  @ApiProperty({ type: 'integer', description: 'Number of notices that you have not read.', example: 2 })
  unread_notices!: number;

  @ApiProperty({
    type: MaintenanceDto,
    nullable: true,
    description:
      'The maintenance of the platform; null if there is none. While it lasts, schedules do not fire, and new runs wait with the reason `maintenance`.',
    example: null,
  })
  maintenance!: MaintenanceDto | null;
}
