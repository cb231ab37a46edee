/** An e-mail as the outbox stores it. It contains no raw headers: the transports write them. */
export interface Mail {
  to: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends e-mails. */
export interface MailTransport {
  /**
   * @returns where the e-mail went, for the log. Contains no text of the e-mail and no addresses.
   * @throws {RefusedMail} when retrying is useless. Retry after any other error.
   */
  send(mail: Mail): Promise<{ server: string } | { file: string }>;
  /** Removes files of e-mails that were sent long ago. */
  removeOld?(): Promise<void>;
}

/** The server refused the e-mail permanently, for example because the address does not exist. */
export class RefusedMail extends Error {}

/** Injection token of `MailTransport`. */
export const MAIL_TRANSPORT = Symbol('mail transport');
