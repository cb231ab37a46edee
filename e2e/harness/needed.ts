/** A setting that Jest's global set-up makes. */
export function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests through Jest's e2e project.`);
  return value;
}
