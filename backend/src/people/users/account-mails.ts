import { compose } from '../../platform/mail/compose.js';
import type { Mail } from '../../platform/mail/mail-transport.js';

// Anyone can type any address into a form. So these e-mails repeat no text from the form: otherwise strangers could use
// Trawl to send their own words to that address.

const NOT_YOU = 'If it was not you, ignore this e-mail.';

const formFooter = (publicUrl: string, form: string): string =>
  `You receive this e-mail because somebody entered this address in the ${form} form of ${publicUrl}. ${NOT_YOU}`;

export const activationMail = (to: string, link: string, hours: number, publicUrl: string): Mail =>
  compose(
    { to, subject: 'Set your password for Trawl' },
    [
      'Your account is almost ready. Set a password to activate it.',
      { button: 'Set your password', href: link },
      `The link works once and expires after ${hours} hours. Your user name is this e-mail address.`,
      'Setting the password opens your FREE PACK: one database, and one free worker as soon as one is available. Nothing is charged.',
    ],
    `${formFooter(publicUrl, 'sign-up')} Until a password is set, nobody can use the account. Trawl deletes it after 30 days.`,
  );

export const invitationMail = (
  to: string,
  link: string,
  days: number,
  expiresAt: Date | null,
  publicUrl: string,
): Mail =>
  compose(
    { to, subject: 'You have a Trawl account' },
    [
      `An administrator of ${publicUrl} created an account for you. Set a password to activate it.`,
      { button: 'Set your password', href: link },
      `The link works once and expires after ${days} days. Your user name is this e-mail address.`,
      ...(expiresAt
        ? [`You can use the account until ${expiresAt.toUTCString()}. Then Trawl deletes it with all its data.`]
        : []),
    ],
    `You receive this e-mail because an administrator of ${publicUrl} entered this address. Until a password is set, nobody can use the account. Trawl deletes it after 30 days.`,
  );

export const accountExistsMail = (to: string, publicUrl: string): Mail =>
  compose(
    { to, subject: 'You already have a Trawl account' },
    [
      'Somebody signed up with this address, which already has an account. The account has not changed.',
      { button: 'Sign in', href: `${publicUrl}/panel/login` },
      `If you forgot your password, choose a new one: ${publicUrl}/panel/forgot-password`,
    ],
    formFooter(publicUrl, 'sign-up'),
  );

export const passwordResetMail = (to: string, link: string, publicUrl: string): Mail =>
  compose(
    { to, subject: 'Choose a new password for Trawl' },
    [
      'Somebody requested a new password for this account.',
      { button: 'Choose a new password', href: link },
      'The link works once and expires after one hour. Setting the new password ends all sessions of the account.',
    ],
    `${formFooter(publicUrl, 'forgotten password')} Your password has not changed.`,
  );
