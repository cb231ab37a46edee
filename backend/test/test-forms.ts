import { randomUUID } from 'node:crypto';

/** Returns a valid contact message; `changes` replaces some of its fields. */
export const contactForm = (changes: object = {}): Record<string, unknown> => ({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  country: 'Croatia',
  subject: 'Pricing Inquiry',
  msg: `We want the prices of six competitors every morning. ${'Which of it can you do? '.repeat(4)}`,
  x: 3,
  y: 4,
  result: '7',
  ip: '198.51.100.9',
  time: '2026-02-15T09:30:00.000Z',
  referer: 'https://www.example.com/contact',
  ...changes,
});

/** Returns a valid sign-up with a unique e-mail address; `changes` replaces some of its fields. */
export const signUpForm = (changes: object = {}): Record<string, unknown> => ({
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: newAddress(),
  city: 'Zagreb',
  country: 'Croatia',
  phone: '',
  website: '',
  company_name: '',
  company_location: '',
  company_vat: '',
  comment: '',
  x: 9,
  y: 10,
  result: 19,
  ip: '',
  time: '2026-02-15T09:30:00.000Z',
  referer: 'https://www.example.com/sign-up',
  ...changes,
});

export const newAddress = (): string => `ada.${randomUUID().slice(0, 13)}@example.com`;
