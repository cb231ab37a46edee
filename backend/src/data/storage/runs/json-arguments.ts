import type { z } from 'zod';
import { StorageFailure } from '../mongodb/storage-failures.js';

/**
 * Returns the arguments of a call of a run, which are JSON text.
 *
 * @throws {StorageFailure} `storage_too_large`, or `storage_rejected` naming a field
 */
export function jsonArguments<Schema extends z.ZodType>(
  args: Uint8Array,
  schema: Schema,
  maxBytes: number,
): z.output<Schema> {
  if (args.length > maxBytes) {
    throw new StorageFailure('storage_too_large', `The call has ${args.length} bytes; ${maxBytes} is the limit.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(args).toString());
  } catch {
    throw new StorageFailure('storage_rejected', 'The arguments are not JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StorageFailure('storage_rejected', `${issue?.path.join('.') || 'The arguments'}: ${issue?.message}`);
}
