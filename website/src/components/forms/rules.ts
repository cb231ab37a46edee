import { FORM_MESSAGES } from '@site/content/forms';

export type Values = Record<string, string>;

/** The first rule that what was entered breaks. */
export interface Wrong {
  message: string;
  /** Names of the fields at fault, the first of them first on the page. */
  fields: string[];
}

const EMAIL = /^[A-Za-z0-9._-]+@([A-Za-z0-9-]+\.)+[A-Za-z]{2,4}$/;
const NAME_WORDS = 2;
const MESSAGE_CHARS = 130;
const SIGN_UP_REQUIRED = ['first_name', 'last_name', 'email', 'city', 'country'];

/** @param values without blanks around them */
export function checkContact({ name = '', email = '', country, subject, msg = '', result }: Values): Wrong | null {
  if (name.trim().split(/\s+/).length < NAME_WORDS) return wrong(FORM_MESSAGES.name, 'name');
  if (!EMAIL.test(email)) return wrong(FORM_MESSAGES.email, 'email');
  if (!country) return wrong(FORM_MESSAGES.country, 'country');
  if (!subject) return wrong(FORM_MESSAGES.subject, 'subject');
  if (!msg) return wrong(FORM_MESSAGES.msg, 'msg');
  if (msg.length < MESSAGE_CHARS) return wrong(FORM_MESSAGES.msgLength, 'msg');
  if (!result) return wrong(FORM_MESSAGES.result, 'result');
  return null;
}

/** @param values without blanks around them */
export function checkSignUp(values: Values): Wrong | null {
  const missing = SIGN_UP_REQUIRED.filter(name => !values[name]);
  if (missing.length > 0) return wrong(FORM_MESSAGES.mandatory, ...missing);
  // The server alone checks the sum.
  return EMAIL.test(values.email ?? '') ? null : wrong(FORM_MESSAGES.email, 'email');
}

const wrong = (message: string, ...fields: string[]): Wrong => ({ message, fields });
