import { compose } from '../mail/compose.js';
import type { Mail } from '../mail/mail-transport.js';
import type { ContactMessageFields, SentFrom } from './form-rules.js';

// An e-mail to an address that somebody typed into a form has not a word of that form in it: otherwise anyone could send
// words of their own to anyone, in our name.

const NOT_YOU = 'If it was not you, do nothing.';

const formFooter = (publicUrl: string, form: string): string =>
  `You get this because somebody gave this address in the ${form} form of ${publicUrl}. ${NOT_YOU}`;

export const activationMail = (to: string, link: string, hours: number, publicUrl: string): Mail =>
  compose(
    { to, subject: 'Set your password for Trawl' },
    [
      'Your account is made. Choose a password, and it is open.',
      { button: 'Set your password', href: link },
      `The link works once, for ${hours} hours. Your user name is this e-mail address.`,
      'With the password your FREE PACK opens: one database, and one free worker as soon as one is available. Nothing is charged.',
    ],
    `${formFooter(publicUrl, 'sign-up')} Without a password nobody can use the account, and it is deleted after 30 days.`,
  );

export const invitationMail = (to: string, link: string, days: number, publicUrl: string): Mail =>
  compose(
    { to, subject: 'You have a Trawl account' },
    [
      `An administrator of ${publicUrl} made an account for you. Choose a password, and it is open.`,
      { button: 'Set your password', href: link },
      `The link works once, for ${days} days. Your user name is this e-mail address.`,
    ],
    `You get this because an administrator of ${publicUrl} gave this address. Without a password nobody can use the account, and it is deleted after 30 days.`,
  );

export const accountExistsMail = (to: string, publicUrl: string): Mail =>
  compose(
    { to, subject: 'You already have a Trawl account' },
    [
      'Somebody signed up with this address. There is an account for it already, and nothing about it has changed.',
      { button: 'Sign in', href: `${publicUrl}/panel/login` },
      `If you do not remember the password, choose a new one: ${publicUrl}/panel/forgot-password`,
    ],
    formFooter(publicUrl, 'sign-up'),
  );

export const passwordResetMail = (to: string, link: string, publicUrl: string): Mail =>
  compose(
    { to, subject: 'Choose a new password for Trawl' },
    [
      'Somebody asked for a new password for this account.',
      { button: 'Choose a new password', href: link },
      'The link works once, for one hour. The new password ends every session of the account.',
    ],
    `${formFooter(publicUrl, 'forgotten password')} Your password stays as it is.`,
  );

/** To the operator, with the visitor's words as they are. */
export const contactMail = (
  to: string,
  message: ContactMessageFields & SentFrom,
  seenIp: string,
  publicUrl: string,
): Mail =>
  compose(
    { to, replyTo: message.email, subject: `Contact: ${message.subject}` },
    [
      {
        facts: [
          ['Name', message.name],
          ['E-mail', message.email],
          ['Country', message.country],
          ['Subject', message.subject],
        ],
      },
      { quote: message.msg },
      {
        facts: [
          ['Sent from the page', message.referer || 'not said'],
          ['Address that the server saw', seenIp],
          ['Address that the browser said', message.ip || 'not said'],
          ['Time that the browser said', message.time || 'not said'],
        ],
      },
    ],
    `Sent by the contact form of ${publicUrl} to its CONTACT_EMAIL. An answer goes to the visitor.`,
  );
