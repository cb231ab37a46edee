import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.js';
import { logFields } from './log-context.js';

/** Fields that must never be logged. */
const redacted = [
  'req.headers.authorization',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  'password',
  'jwtToken',
  'key',
  'token',
  '*.password',
  '*.jwtToken',
  '*.key',
  '*.token',
];

export const makeLogger = (
  config: Pick<Config, 'logLevel'>,
  destination: DestinationStream = pino.destination(1),
): Logger =>
  pino(
    {
      level: config.logLevel,
      base: { app: 'backend' },
      redact: redacted,
      mixin: logFields,
      serializers: { err: withoutValues },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );

const MAX_LOGGED_CHARS = 4_000;

/**
 * Converts an error to an object for the log. Leaves out the parameters of a failed query, because inputs, files and
 * password hashes must not be logged.
 */
export const withoutValues = (error: Error & { code?: unknown }) => ({
  type: error?.constructor?.name,
  code: error?.code,
  message: String(error?.message ?? error).slice(0, MAX_LOGGED_CHARS),
  stack: error?.stack?.slice(0, MAX_LOGGED_CHARS),
});

/** Injection token of pino's `Logger`. */
export const LOGGER = Symbol('logger');

/** Writes the messages of the framework Nest to the backend's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.pino.debug({ context: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.pino.warn({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // An error of the start, which Nest also throws: `main.ts` says what to do.
    if (rest.at(-1) === 'ExceptionHandler') return;
    this.pino.error(
      { context: rest.at(-1), err: message instanceof Error ? message : undefined, rest },
      String(message),
    );
  }
}
