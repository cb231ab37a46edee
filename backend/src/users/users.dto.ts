import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, ROLES, type Role } from '@trawl/contracts';
import { Type } from 'class-transformer';
import { IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { EntityDto } from '../common/entity.js';
import { BooleanField, EnumField, Holding, StringField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { ListQuery } from '../common/list-query.js';
import { QuotasDto } from '../quotas/quotas.dto.js';
import { EMAIL } from '../www/form-rules.js';

const ROLE = '`developer`, or `admin` for an administrator.';

const QuotasField = (): PropertyDecorator => (target, name) => {
  ApiProperty({
    type: QuotasDto,
    required: false,
    description:
      'What it may have, where that differs from the installation’s settings. What is not sent stays as it is.',
  })(target, name);
  ValidateIf((_, value) => value !== undefined)(target, name);
  IsObject()(target, name);
  ValidateNested()(target, name);
  Type(() => QuotasDto)(target, name);
  Holding({ fieldsOf: QuotasDto })(target, name);
};

export class UsersListQuery extends ListQuery {
  @StringField({ description: 'Part of the user name.', example: 'ada', max: 254, optional: true })
  name_contains?: string;

  @EnumField(ROLES, { description: 'Only accounts with this role.', optional: true })
  role?: Role;

  @BooleanField({ description: 'Only disabled accounts, or only those that are not.', optional: true })
  disabled?: boolean;
}

export class CreateUserDto {
  @StringField({
    description: 'The e-mail address, which becomes the user name, in lower case.',
    example: 'ada@example.com',
    min: 3,
    max: 254,
    pattern: EMAIL,
    expected: 'an e-mail address such as ada@example.com',
  })
  username!: string;

  @EnumField(ROLES, { description: ROLE, default: 'developer', optional: true })
  role: Role = 'developer';

  @StringField({
    description: 'Its password. Left out: an e-mail goes to the address, with a link that sets it.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'a text of more than blanks',
    format: 'password',
    optional: true,
  })
  password?: string;

  @QuotasField()
  quotas?: QuotasDto;
}

@IgnoredFields('id', 'created_at', 'updated_at', 'username', 'activated')
export class UpdateUserDto {
  @EnumField(ROLES, { description: `${ROLE} A change ends the account’s sessions.`, optional: true })
  role?: Role;

  @BooleanField({
    description: 'True ends its sessions at once; its API keys are worth nothing until it is enabled again.',
    optional: true,
  })
  disabled?: boolean;

  @QuotasField()
  quotas?: QuotasDto;
}

export class UserDto extends EntityDto {
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
  @ApiProperty({ enum: ROLES, description: ROLE, example: 'developer' })
  role!: Role;
  @ApiProperty({ description: 'Nobody can sign in to it.', example: false })
  disabled!: boolean;
  @ApiProperty({
    description: 'Whether it has a password yet. Without one it is deleted after 30 days.',
    example: true,
  })
  activated!: boolean;
  @ApiProperty({
    description: 'What it may have, where that differs from the installation’s settings.',
    example: { runs_at_once: 100 },
  })
  quotas!: QuotasDto;
}
