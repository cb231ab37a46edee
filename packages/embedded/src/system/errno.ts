/**
 * Returns the system's error code, such as `EACCES`. It does not use `instanceof Error`, which is false for errors from
 * another realm, as in Jest.
 */
export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
