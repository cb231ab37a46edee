import type { Logger } from 'pino';

type Data = Record<string, unknown>;

/** Creates a log that tells the user about warnings and errors. */
export function warningLog(warn: (text: string) => void): Logger {
  const tell = (data: Data, text: string) => warn(`${text} (${Object.values(data).join(', ')})`);
  const drop = () => {};
  const log = { trace: drop, debug: drop, info: drop, warn: tell, error: tell, fatal: tell };
  return log as unknown as Logger;
}

/** The same log without warnings. */
export const onlyErrors = (log: Logger): Logger => ({ ...log, warn: () => {} }) as Logger;
