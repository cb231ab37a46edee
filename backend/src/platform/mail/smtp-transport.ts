import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type MailTransport, RefusedMail } from './mail-transport.js';
import { toMessage } from './message.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** Some mail servers wait half a minute before they respond to an unknown sender. */
const RESPONSE_TIMEOUT_MS = 40_000;

export class SmtpTransport implements MailTransport {
  readonly #transporter: Transporter;
  readonly #server: string;

  constructor(
    smtpUrl: string,
    private readonly from: string,
  ) {
    this.#server = new URL(smtpUrl).host;
    this.#transporter = createTransport({
      url: smtpUrl,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: RESPONSE_TIMEOUT_MS,
      socketTimeout: RESPONSE_TIMEOUT_MS,
    });
  }

  async send(mail: Mail): Promise<{ server: string }> {
    try {
      await this.#transporter.sendMail(toMessage(mail, this.from));
    } catch (error) {
      throw withoutContent(error as SmtpError);
    }
    return { server: this.#server };
  }
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  /** The server's response, if there was one. */
  response?: string | false;
  responseCode?: number;
}

/** Codes of authentication errors. Their cause is a wrong SMTP_URL and not the e-mail, so the e-mail is retried. */
const AUTHENTICATION = new Set([530, 534, 535, 538]);

/**
 * Returns an error that contains only the codes of the given one, because the server's text may contain an address, the
 * subject or a line of the e-mail.
 */
function withoutContent({ code, command, response, responseCode = 0, message }: SmtpError): Error {
  if (!response && command === 'CONN') return Object.assign(new Error(message), { code });
  const status = response ? /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] : undefined;
  const words = ['SMTP:', code, responseCode || undefined, status].filter(Boolean).join(' ');
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isOfThisMail && responseCode >= 500 && !AUTHENTICATION.has(responseCode)) return new RefusedMail(words);
  return Object.assign(new Error(words), { code });
}
