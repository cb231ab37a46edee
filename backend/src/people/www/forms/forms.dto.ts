import { ApiProperty } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { StringField } from '../../../platform/http/fields.js';
import { FormNumber, FormText } from './form-fields.js';

/** Fields that both forms send in addition to the visitor's entries. */
abstract class FormDto {
  @FormNumber({ description: 'First number of the challenge, 1 to 10.', example: 3 })
  x!: unknown;

  @FormNumber({ description: 'Second number of the challenge, 1 to 10.', example: 4 })
  y!: unknown;

  @FormNumber({ description: 'The visitor’s sum of the two numbers.', example: 7 })
  result!: unknown;

  @FormText({
    label: 'The address',
    description:
      'The visitor’s external address from `GET /ip`. Stored in addition to the address that the server sees.',
    example: '203.0.113.7',
    max: 64,
    optional: true,
  })
  ip?: string | null;

  @FormText({
    label: 'The time',
    description: 'When the form was sent, by the visitor’s clock (ISO 8601).',
    example: '2026-02-15T09:30:00.000Z',
    max: 64,
    optional: true,
  })
  time?: string | null;

  @FormText({
    label: 'The referer',
    description: 'URL of the page with the form. Only the first 2048 characters are saved.',
    example: 'https://www.example.com/contact',
    // No browser sends a longer URL, because our server does not respond to longer ones.
    max: 16_384,
    optional: true,
  })
  referer?: string | null;

  @FormText({
    label: 'The fax number',
    description:
      'Honeypot for bots: leave it empty. A form with this field filled in gets a normal response and is discarded.',
    max: 2_048,
    optional: true,
  })
  fax_number?: string | null;
}

export class ContactFormDto extends FormDto {
  @FormText({ label: 'Name', description: 'First and last name.', example: 'Ada Lovelace', max: 200 })
  name?: string | null;

  @FormText({ label: 'Email', description: 'E-mail address for the reply.', example: 'ada@example.com', max: 254 })
  email?: string | null;

  @FormText({ label: 'Country', description: 'English name of the country.', example: 'Croatia', max: 100 })
  country?: string | null;

  @FormText({ label: 'Subject', description: 'Subject of the message.', example: 'Pricing Inquiry', max: 200 })
  subject?: string | null;

  @FormText({
    label: 'Message',
    description: 'At least 130 characters, not counting spaces at both ends.',
    example:
      'We sell garden tools in four countries and want the prices of six competitors every morning before eight, ' +
      'as one CSV. Which of it can you do?',
    max: 10_000,
  })
  msg?: string | null;
}

export class SignUpFormDto extends FormDto {
  @FormText({ label: 'First name', description: 'First name.', example: 'Ada', max: 100 })
  first_name?: string | null;

  @FormText({ label: 'Last name', description: 'Last name.', example: 'Lovelace', max: 100 })
  last_name?: string | null;

  @FormText({
    label: 'Email',
    description: 'E-mail address. It becomes the user name, in lower case, and receives the link to set the password.',
    example: 'ada@example.com',
    max: 254,
  })
  email?: string | null;

  @FormText({ label: 'City', description: 'City.', example: 'Zagreb', max: 100 })
  city?: string | null;

  @FormText({ label: 'Country', description: 'English name of the country.', example: 'Croatia', max: 100 })
  country?: string | null;

  @FormText({ label: 'Phone', description: 'Phone.', example: '+385 1 2345 678', max: 50, optional: true })
  phone?: string | null;

  @FormText({ label: 'Website', description: 'Website.', example: 'example.com', max: 300, optional: true })
  website?: string | null;

  @FormText({
    label: 'Company name',
    description: 'Company name.',
    example: 'Example d.o.o.',
    max: 200,
    optional: true,
  })
  company_name?: string | null;

  @FormText({ label: 'Company location', description: 'Location of the company.', max: 200, optional: true })
  company_location?: string | null;

  @FormText({ label: 'Company VAT number', description: 'VAT number.', max: 50, optional: true })
  company_vat?: string | null;

  @FormText({ label: 'Comment', description: 'Anything else you want to say.', max: 5_000, optional: true })
  comment?: string | null;
}

export class ForgotPasswordDto {
  @FormText({ label: 'Email', description: 'The account’s e-mail address.', example: 'ada@example.com', max: 254 })
  email?: string | null;
}

export class SetPasswordDto {
  @StringField({ description: 'Token from the link in the e-mail.', min: 1, max: 200 })
  token!: string;

  @StringField({
    description: 'The new password.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'text with at least one visible character',
    format: 'password',
  })
  password!: string;
}

export class PasswordLinkDto {
  @StringField({ description: 'Token from the link in the e-mail.', min: 1, max: 200 })
  token!: string;
}

export class LinkedAccountDto {
  @ApiProperty({
    description: 'User name of the account. The link lets its owner set a password.',
    example: 'ada@example.com',
  })
  username!: string;
}

export class IpDto {
  @ApiProperty({ description: 'IP address that the request came from.', example: '203.0.113.7' })
  external_ip!: string;
}

export class MsgDto {
  @ApiProperty({ description: 'Message to show to the visitor.', example: 'The message is sent.' })
  msg!: string;
}
