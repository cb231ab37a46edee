const COLLECTION_NAME_CHARS = 120;

/** Why MongoDB, or Trawl, takes no collection of this name; null when the name is fine. */
export function collectionNameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'A collection needs a name.';
  const shown = name.slice(0, COLLECTION_NAME_CHARS);
  if (name.length > COLLECTION_NAME_CHARS)
    return `The collection name ${shown}… is longer than ${COLLECTION_NAME_CHARS} characters.`;
  if (name.includes('$') || name.includes('\0')) return `The collection name ${shown} has a $ or a NUL character.`;
  if (name.startsWith('system.'))
    return `The collection name ${shown} begins with system., which belongs to MongoDB itself.`;
  if (name.startsWith('.') || name.endsWith('.')) return `The collection name ${shown} begins or ends with a dot.`;
  return null;
}
