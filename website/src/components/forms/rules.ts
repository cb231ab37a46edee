import { FORM_MESSAGES } from '@site/content/forms';
import { EMAIL_PATTERN } from '@trawl/contracts';

export type Values = Record<string, string>;

/** First rule that the values violate. */
export interface RuleViolation {
  message: string;
  /** Names of the invalid fields, in page order. */
  fields: string[];
}

const NAME_WORDS = 2;
const MESSAGE_CHARS = 130;
const SIGN_UP_REQUIRED = ['first_name', 'last_name', 'email', 'city', 'country'];

/** @param values without blanks around them */
export function checkContact({
  name = '',
  email = '',
  country,
  subject,
  msg = '',
  result,
}: Values): RuleViolation | null {
  if (name.trim().split(/\s+/).length < NAME_WORDS) return wrong(FORM_MESSAGES.name, 'name');
  if (!EMAIL_PATTERN.test(email)) return wrong(FORM_MESSAGES.email, 'email');
  if (!country) return wrong(FORM_MESSAGES.country, 'country');
  if (!subject) return wrong(FORM_MESSAGES.subject, 'subject');
  if (!msg) return wrong(FORM_MESSAGES.msg, 'msg');
  if (msg.length < MESSAGE_CHARS) return wrong(FORM_MESSAGES.msgLength, 'msg');
  if (!result) return wrong(FORM_MESSAGES.result, 'result');
  return null;
}

/** @param values without blanks around them */
export function checkSignUp(values: Values): RuleViolation | null {
  const missing = SIGN_UP_REQUIRED.filter(name => !values[name]);
  if (missing.length > 0) return wrong(FORM_MESSAGES.mandatory, ...missing);
  // The result of the sum is not checked here, only on the server.
  return EMAIL_PATTERN.test(values.email ?? '') ? null : wrong(FORM_MESSAGES.email, 'email');
}

const wrong = (message: string, ...fields: string[]): RuleViolation => ({ message, fields });
