import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, ROLES, type Role } from '@trawl/contracts';
import { Type } from 'class-transformer';
import { IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { EntityDto } from '../../platform/common/entity.js';
import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  Holding,
  StringField,
} from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../platform/http/updates/ignored-fields.js';
import { QuotasDto } from '../../platform/quotas/quotas.dto.js';

const ROLE = '`developer`, or `admin` for administrators.';

const QuotasField = (): PropertyDecorator => (target, name) => {
  ApiProperty({
    type: QuotasDto,
    required: false,
    description: 'Quotas that override the installation’s settings. Omitted quotas stay unchanged.',
  })(target, name);
  ValidateIf((_, value) => value !== undefined)(target, name);
  IsObject()(target, name);
  ValidateNested()(target, name);
  Type(() => QuotasDto)(target, name);
  Holding({ fieldsOf: QuotasDto })(target, name);
};

const EXPIRY =
  'Expiry of the account: its sign-in is blocked, its runs end, and Trawl deletes it with all its data. Null if it does not expire.';

export class UsersListQuery extends ListQuery {
  @StringField({ description: 'Only user names that contain this text.', example: 'ada', max: 254, optional: true })
  name_contains?: string;

  @EnumField(ROLES, { description: 'Only accounts with this role.', optional: true })
  role?: Role;

  @BooleanField({ description: '`true`: only disabled accounts; `false`: only enabled ones.', optional: true })
  disabled?: boolean;
}

export class CreateUserDto {
  @EmailField({ description: 'E-mail address. It becomes the user name, in lower case.' })
  username!: string;

  @EnumField(ROLES, { description: ROLE, default: 'developer', optional: true })
  role: Role = 'developer';

  @StringField({
    description: 'Password. If omitted, Trawl sends an e-mail with a link to set it.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'text with at least one visible character',
    format: 'password',
    optional: true,
  })
  password?: string;

  @DateTimeField({
    description: `${EXPIRY} Only for developers.`,
    example: '2026-03-01T09:30:00.000Z',
    optional: true,
    nullable: true,
  })
  expires_at?: string | null;

  @QuotasField()
  quotas?: QuotasDto;
}

@IgnoredFields('id', 'created_at', 'updated_at', 'username', 'activated')
export class UpdateUserDto extends ChangesOf(CreateUserDto, { without: ['username', 'password', 'role'] }) {
  @EnumField(ROLES, { description: `${ROLE} Changing it ends the account’s sessions.`, optional: true })
  role?: Role;

  @BooleanField({
    description: '`true` ends the account’s sessions at once and suspends its API keys until it is enabled again.',
    optional: true,
  })
  disabled?: boolean;
}

export class UserDto extends EntityDto {
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
  @ApiProperty({ enum: ROLES, description: ROLE, example: 'developer' })
  role!: Role;
  @ApiProperty({ description: 'Whether the account is disabled, so that its user cannot sign in.', example: false })
  disabled!: boolean;
  @ApiProperty({
    description: 'Whether a password has been set. Trawl deletes accounts without one after 30 days.',
    example: true,
  })
  activated!: boolean;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: EXPIRY, example: null })
  expires_at!: string | null;
  @ApiProperty({
    description: 'Quotas that override the installation’s settings.',
    example: { runs_at_once: 100 },
  })
  quotas!: QuotasDto;
}
