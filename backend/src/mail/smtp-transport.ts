import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type MailTransport, RefusedMail } from './mail-transport.js';
import { toMessage } from './message.js';

const CONNECT_MS = 10_000;
/** Some servers make unknown senders wait for half a minute. */
const ANSWER_MS = 40_000;

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
      connectionTimeout: CONNECT_MS,
      greetingTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
    });
  }

  async send(mail: Mail): Promise<{ server: string }> {
    try {
      await this.#transporter.sendMail(toMessage(mail, this.from));
    } catch (error) {
      throw inOurWords(error as SmtpError);
    }
    return { server: this.#server };
  }
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  /** What the server answered, if it did. */
  response?: string | false;
  responseCode?: number;
}

/** The server wants to know who we are, or does not believe it: a matter of SMTP_URL, not of one e-mail. */
const AUTHENTICATION = new Set([530, 534, 535, 538]);

/** A server's words may repeat an address, a subject or a line of the e-mail: only its codes are for the log. */
function inOurWords({ code, command, response, responseCode = 0, message }: SmtpError): Error {
  if (!response && command === 'CONN') return Object.assign(new Error(message), { code });
  const status = response ? /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] : undefined;
  const words = ['SMTP:', code, responseCode || undefined, status].filter(Boolean).join(' ');
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isOfThisMail && responseCode >= 500 && !AUTHENTICATION.has(responseCode)) return new RefusedMail(words);
  return Object.assign(new Error(words), { code });
}
