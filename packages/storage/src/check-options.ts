import { inspect } from 'node:util';

/**
 * @param call such as `dataset.push`, for the error
 * @param example such as `{ key: 'sku' }`, for the error
 * @throws TypeError if the options are not an object
 */
export function checkOptions(options: unknown, call: string, example: string): void {
  if (typeof options === 'object' && options !== null) return;
  throw new TypeError(`${call}: expected options such as ${example}; you sent ${inspect(options)}.`);
}
