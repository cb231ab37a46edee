import { isEmail } from 'class-validator';

export const MAIL_ADDRESS_EXPECTED = 'an e-mail address such as ada@example.com';

/** Returns whether e-mails can be sent to the address. Quoted names, such as `"a b"@example.com`, are not supported. */
export const isMailAddress = (address: unknown): boolean => isEmail(address, { blacklisted_chars: '"' });
