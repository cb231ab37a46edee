import { EMAIL_PATTERN } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { isMailAddress } from '../../../platform/common/mail-address.js';
import type { Profile } from '../../users/profiles.js';
import type { ContactFormDto, ForgotPasswordDto, SignUpFormDto } from './forms.dto.js';

const MIN_MSG_CHARS = 130;
const MAX_ADDEND = 10;
const NO_ADDRESS = 'Enter valid email';
const MAX_REFERER_CHARS = 2_048;

/** The cleaned fields of a form. Omitted fields are empty strings. Only `msg` and `comment` may have several lines. */
type Cleaned<Form, Field extends keyof Form> = Record<Field, string>;
export type ContactMessageFields = Cleaned<ContactFormDto, 'name' | 'email' | 'country' | 'subject' | 'msg'>;
export type SentFrom = Cleaned<ContactFormDto, 'ip' | 'time' | 'referer'>;
type ProfileFields = Omit<Profile, keyof SentFrom | 'seen_ip'>;

type Text = string | null | undefined;

/**
 * Checks the rules of the contact form in the order of its fields.
 * @throws {ApiError} 400 with the message of the first rule that fails.
 */
export function checkContact(form: ContactFormDto): ContactMessageFields {
  const name = oneLine(form.name);
  const email = oneLine(form.email);
  const country = oneLine(form.country);
  const subject = oneLine(form.subject);
  const msg = trimmed(form.msg);
  if (name.split(' ').length < 2) throw refusal('name', 'Enter first and last name');
  checkEmail(email);
  if (country === '') throw refusal('country', 'Enter country');
  if (subject === '') throw refusal('subject', 'Enter subject');
  if (msg === '') throw refusal('msg', 'Enter message');
  if (msg.length < MIN_MSG_CHARS) {
    throw refusal('msg', `Enter message with at least ${MIN_MSG_CHARS} characters`);
  }
  checkSum(form);
  return { name, email, country, subject, msg };
}

/**
 * Checks the rules of the sign-up form in the order of its fields.
 * @throws {ApiError} 400 with the message of the first rule that fails.
 */
export function checkSignUp(form: SignUpFormDto): ProfileFields & { email: string } {
  const email = oneLine(form.email);
  const required = {
    first_name: oneLine(form.first_name),
    last_name: oneLine(form.last_name),
    email,
    city: oneLine(form.city),
    country: oneLine(form.country),
  };
  const missing = Object.entries(required).find(([, value]) => value === '');
  if (missing) throw refusal(missing[0], 'Fields marked with an asterisk (*) are mandatory');
  checkEmail(email);
  checkSum(form);
  return {
    ...required,
    phone: oneLine(form.phone),
    website: oneLine(form.website),
    company_name: oneLine(form.company_name),
    company_location: oneLine(form.company_location),
    company_vat: oneLine(form.company_vat),
    comment: trimmed(form.comment),
  };
}

/**
 * Accepts more addresses than the other forms, because an administrator may have created the account.
 * @throws {ApiError} 400.
 */
export function checkForgotPassword(form: ForgotPasswordDto): string {
  const email = oneLine(form.email);
  if (!isMailAddress(email)) throw refusal('email', NO_ADDRESS);
  return email;
}

export const sentFrom = (form: ContactFormDto | SignUpFormDto): SentFrom => ({
  ip: oneLine(form.ip),
  time: oneLine(form.time),
  // A long value is cut and not refused: the address of a page can be much longer, and the visitor cannot change it.
  referer: oneLine(form.referer).slice(0, MAX_REFERER_CHARS),
});

/** Tells whether a bot sent the form. The fax number is a trap: people do not see this field, but bots fill it in. */
export const isFromBot = (form: ContactFormDto | SignUpFormDto): boolean => trimmed(form.fax_number) !== '';

function checkEmail(email: string): void {
  if (!EMAIL_PATTERN.test(email)) throw refusal('email', NO_ADDRESS);
}

function checkSum({ x, y, result }: Pick<ContactFormDto, 'x' | 'y' | 'result'>): void {
  if (result === undefined || result === null || (typeof result === 'string' && result.trim() === '')) {
    throw refusal('result', 'Enter the sum result');
  }
  const sum = addend('x', x) + addend('y', y);
  if (wholeNumber(result) !== sum) {
    throw refusal('result', 'The sum result is wrong. Add the two numbers again.');
  }
}

function addend(field: 'x' | 'y', value: unknown): number {
  const number = wholeNumber(value);
  if (number !== null && number >= 1 && number <= MAX_ADDEND) return number;
  throw refusal(
    field,
    `The sum cannot be checked: ${field} must be a whole number from 1 to ${MAX_ADDEND}. Reload the page and try again.`,
  );
}

/** Reads a number or a string of digits. Returns null for anything else. */
function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  return typeof value === 'string' && /^\s*\d{1,4}\s*$/.test(value) ? Number(value) : null;
}

const trimmed = (text: Text): string => (text ?? '').trim();
const oneLine = (text: Text): string => trimmed(text).replace(/\s+/g, ' ');

const refusal = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', message, [{ field, message }]);
