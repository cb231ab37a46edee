import { escapeIdentifier } from 'pg';

/** Quotes a name of a table or column for SQL. */
export const quote = (name: string): string => escapeIdentifier(name);
