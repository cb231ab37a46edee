import { compose } from '../../../platform/mail/compose.js';
import type { Mail } from '../../../platform/mail/mail-transport.js';
import type { ContactMessageFields, SentFrom } from '../forms/form-rules.js';

/** Composes the e-mail that copies a contact message to the operator. The visitor's words are unchanged. */
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
          ['Sent from the page', message.referer || 'unknown'],
          ['Address seen by the server', seenIp],
          ['Address sent by the browser', message.ip || 'unknown'],
          ['Time sent by the browser', message.time || 'unknown'],
        ],
      },
    ],
    `Sent by the contact form of ${publicUrl} to its CONTACT_EMAIL or, if that is not set, to its administrators. Your reply goes to the visitor.`,
  );
