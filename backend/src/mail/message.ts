import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mail-transport.js';

/** What nodemailer sends. It encodes what is not plain text in a header, so that no text can begin another one. */
export const toMessage = ({ to, replyTo, subject, text, html }: Mail, from: string): SendMailOptions => ({
  from: { name: 'Trawl', address: from },
  to: { name: '', address: to },
  ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
  subject,
  text,
  html,
  // Nobody's holiday notice should answer a machine.
  headers: { 'Auto-Submitted': 'auto-generated' },
  // Texts from visitors must not make it read a file or fetch an address.
  disableFileAccess: true,
  disableUrlAccess: true,
});
