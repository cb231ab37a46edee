/** Names of the input and the input secret that a run uses if the user chooses no other. */
export const DEFAULT_INPUT = 'input.json';
export const DEFAULT_INPUT_SECRET = 'inputSecret.json';

/**
 * Returns the id of the item that has the default name. Without such an item, returns the id of the only item, or null
 * if there are none or several.
 */
export function defaultInputId(
  items: readonly { id: string; name: string }[] = [],
  defaultName: string,
): string | null {
  const [only, ...others] = items;
  return items.find(({ name }) => name === defaultName)?.id ?? (others.length === 0 ? (only?.id ?? null) : null);
}
