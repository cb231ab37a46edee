import { ApiProperty } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { StringField } from '../common/fields.js';
import { FormNumber, FormText } from './form-fields.js';

/** What both forms send besides what the visitor wrote. */
abstract class FormDto {
  @FormNumber({ description: 'The first number of the challenge, 1 to 10.', example: 3 })
  x!: unknown;

  @FormNumber({ description: 'The second number of the challenge, 1 to 10.', example: 4 })
  y!: unknown;

  @FormNumber({ description: 'Their sum, as the visitor worked it out.', example: 7 })
  result!: unknown;

  @FormText({
    label: 'The address',
    description:
      'The visitor’s external address, as `GET /ip` answered it. Stored beside the one that the server sees.',
    example: '203.0.113.7',
    max: 64,
    optional: true,
  })
  ip?: string | null;

  @FormText({
    label: 'The time',
    description: 'When it was sent, by the visitor’s clock (ISO 8601).',
    example: '2026-02-15T09:30:00.000Z',
    max: 64,
    optional: true,
  })
  time?: string | null;

  @FormText({
    label: 'The referer',
    description: 'Address of the page that the form stands on. Its first 2048 characters are kept.',
    example: 'https://www.example.com/contact',
    // No browser gets a page of a longer address from us.
    max: 16_384,
    optional: true,
  })
  referer?: string | null;

  @FormText({
    label: 'The fax number',
    description: 'A field that people do not see. Who fills it is answered as if all were well, and nothing is kept.',
    max: 2_048,
    optional: true,
  })
  fax_number?: string | null;
}

export class ContactFormDto extends FormDto {
  @FormText({ label: 'Name', description: 'First and last name.', example: 'Ada Lovelace', max: 200 })
  name?: string | null;

  @FormText({ label: 'Email', description: 'Where to answer.', example: 'ada@example.com', max: 254 })
  email?: string | null;

  @FormText({ label: 'Country', description: 'English name of the country.', example: 'Croatia', max: 100 })
  country?: string | null;

  @FormText({ label: 'Subject', description: 'What it is about.', example: 'Pricing Inquiry', max: 200 })
  subject?: string | null;

  @FormText({
    label: 'Message',
    description: 'At least 130 characters, spaces at both ends not counted.',
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
    description: 'Becomes the account’s user name, in lower case; the link that sets the password goes there.',
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

  @FormText({ label: 'Company location', description: 'Where the company is.', max: 200, optional: true })
  company_location?: string | null;

  @FormText({ label: 'Company VAT number', description: 'VAT number.', max: 50, optional: true })
  company_vat?: string | null;

  @FormText({ label: 'Comment', description: 'Anything else.', max: 5_000, optional: true })
  comment?: string | null;
}

export class ForgotPasswordDto {
  @FormText({ label: 'Email', description: 'The account’s e-mail address.', example: 'ada@example.com', max: 254 })
  email?: string | null;
}

export class SetPasswordDto {
  @StringField({ description: 'The token of the link, from the e-mail.', min: 1, max: 200 })
  token!: string;

  @StringField({
    description: 'The password to be.',
    example: 'correct horse battery staple',
    ...LIMITS.passwordChars,
    pattern: /\S/,
    expected: 'a text of more than blanks',
    format: 'password',
  })
  password!: string;
}

export class PasswordLinkDto {
  @StringField({ description: 'The token of the link, from the e-mail.', min: 1, max: 200 })
  token!: string;
}

export class LinkedAccountDto {
  @ApiProperty({ description: 'Of the account whose password the link sets.', example: 'ada@example.com' })
  username!: string;
}

export class IpDto {
  @ApiProperty({ description: 'The address that the request came from.', example: '203.0.113.7' })
  external_ip!: string;
}

export class MsgDto {
  @ApiProperty({ description: 'For the visitor to read.', example: 'The message is sent.' })
  msg!: string;
}
