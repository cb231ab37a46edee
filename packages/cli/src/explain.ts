import { RunError, TrawlError } from '@trawl/client';
import { EXIT, type ExitCode } from './exit-codes.js';
import { Failure } from './failure.js';

/** Returns the exit code for an error, and the text that explains it. */
export function explain(error: unknown): { text: string; exitCode: ExitCode } {
  if (error instanceof Failure) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof RunError) return { text: error.stack ?? error.message, exitCode: EXIT.failed };
  if (error instanceof TrawlError) {
    // A filter or update that MongoDB or PostgreSQL refuses is wrong usage, too.
    const exitCode = error.code === 'storage_rejected' ? EXIT.usage : exitCodeOf(error.status);
    return { text: withDetails(error), exitCode };
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined) return { text: message, exitCode: EXIT.failed };
  return { text: `Something unexpected happened, which is a bug of trawl-cli: ${message}`, exitCode: EXIT.failed };
}

/** Returns the exit code for the status of a failed call; 0 if there was no answer. */
export function exitCodeOf(status: number): ExitCode {
  if (status === 400) return EXIT.usage;
  if (status === 401 || status === 403) return EXIT.signIn;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 0 || status === 429 || status >= 500) return EXIT.unavailable;
  return EXIT.failed;
}

function withDetails({ message: said, code, status, details, requestId }: TrawlError): string {
  // The API names its own parameter.
  const message = code === 'already_running' ? said.replace('force=true', '--force') : said;
  const lines = [message];
  for (const detail of Array.isArray(details) ? details : []) {
    if (typeof detail?.message !== 'string' || message.includes(detail.message)) continue;
    const place = [detail.file ?? detail.field, detail.line, detail.column].filter(part => part != null).join(':');
    lines.push(`  ${place ? `${place}: ` : ''}${detail.message}`);
  }
  if (status === 401) lines.push('Sign in with: trawl login');
  if (status === 401 && process.env.TRAWL_KEY) {
    lines.push(
      'TRAWL_KEY is set. It comes before that account, unless you name one with --profile: unset or replace it.',
    );
  }
  if (status >= 500 && requestId) lines.push(`The server’s log names this call ${requestId}.`);
  return lines.join('\n');
}
