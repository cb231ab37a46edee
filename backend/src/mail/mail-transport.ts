/** An e-mail as the outbox keeps it. Nothing in it is a raw header: the transports write the headers. */
export interface Mail {
  to: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
}

/** Brings e-mails on their way. */
export interface MailTransport {
  /**
   * @returns where it went, for the log: never its text or its address.
   * @throws {RefusedMail} when this e-mail will never be taken; any other error is worth another try.
   */
  send(mail: Mail): Promise<{ server: string } | { file: string }>;
  /** Removes what it keeps of e-mails that are long done. */
  removeOld?(): Promise<void>;
}

/** The e-mail itself is refused, for good: an address that does not exist, for one. */
export class RefusedMail extends Error {}

/** Injection token of `MailTransport`. */
export const MAIL_TRANSPORT = Symbol('mail transport');
