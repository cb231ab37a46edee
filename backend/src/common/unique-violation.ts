import { QueryFailedError } from 'typeorm';

/** True when PostgreSQL refused a row because another one has the same key; `constraint` narrows it to one key. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint: violated } = error.driverError as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || violated === constraint);
}
