const DEFAULT_LOGIN_FAILURE = 'Bad Login';

/** The message of a refused login: the first field whose name contains msg or message, or the default. */
export function loginFailureMessage(body: unknown): string {
  if (typeof body !== 'object' || body === null) return DEFAULT_LOGIN_FAILURE;
  for (const [name, value] of Object.entries(body)) {
    if (/msg|message/i.test(name) && typeof value === 'string' && value !== '') return value;
  }
  return DEFAULT_LOGIN_FAILURE;
}
