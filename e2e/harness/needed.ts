/** Returns an environment variable that Jest's global setup sets. */
export function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests through Jest's e2e project.`);
  return value;
}
