import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mail-transport.js';

/**
 * Converts an e-mail to the format of nodemailer. nodemailer encodes the values of headers, so that no text can add
 * another header.
 */
export const toMessage = ({ to, replyTo, subject, text, html }: Mail, from: string): SendMailOptions => ({
  from: { name: 'Trawl', address: from },
  to: { name: '', address: to },
  ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
  subject,
  text,
  html,
  // Asks mail programs not to send automatic replies.
  headers: { 'Auto-Submitted': 'auto-generated' },
  // Texts from visitors must not make nodemailer read files or fetch URLs.
  disableFileAccess: true,
  disableUrlAccess: true,
});
