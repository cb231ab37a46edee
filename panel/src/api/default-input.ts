/** Names under which a run takes an input and an input secret when nobody chooses. */
export const DEFAULT_INPUT = 'input.json';
export const DEFAULT_INPUT_SECRET = 'inputSecret.json';

/** The one of the default name, or the only one there is; otherwise none. */
export function defaultInputId(
  items: readonly { id: string; name: string }[] = [],
  defaultName: string,
): string | null {
  const [only, ...others] = items;
  return items.find(({ name }) => name === defaultName)?.id ?? (others.length === 0 ? (only?.id ?? null) : null);
}
