const DEFAULT_LOGIN_FAILURE = 'Bad Login';

/**
 * Returns the message for a failed login: the first text in `body` whose field name contains `msg` or `message`, or a
 * default text.
 */
export function loginFailureMessage(body: unknown): string {
  if (typeof body !== 'object' || body === null) return DEFAULT_LOGIN_FAILURE;
  for (const [name, value] of Object.entries(body)) {
    if (/msg|message/i.test(name) && typeof value === 'string' && value !== '') return value;
  }
  return DEFAULT_LOGIN_FAILURE;
}
