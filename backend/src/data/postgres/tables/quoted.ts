/** Returns a name as PostgreSQL reads it in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
