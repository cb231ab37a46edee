/** The system's name of what went wrong, e.g. `EACCES`. Read by name: an error of another realm is no `instanceof Error` here. */
export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
