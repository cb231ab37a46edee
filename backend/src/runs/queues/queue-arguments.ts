import { LIMITS, QUEUE_LIMITS, QUEUE_NAME, type QueueMethod, type QueueOperation } from '@trawl/contracts';
import { type Binary, deserialize } from 'bson';
import { z } from 'zod';
import { StorageFailure } from '../../data/storage/mongodb/storage-failures.js';
import { checkBson } from '../../data/storage/values/bson-bytes.js';

const FINGERPRINT_BYTES = 16;
const { requestsAtOnce, urlBytes, dataBytes, hostChars, errorChars, priority, delayMs } = QUEUE_LIMITS;

const text = (maxBytes: number) =>
  z
    .string()
    .refine(value => !value.includes('\0'), 'expected a text without NUL')
    .refine(value => Buffer.byteLength(value) <= maxBytes, `expected at most ${maxBytes} bytes`);
const many = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(requestsAtOnce);
const whole = (min: number, max: number) => z.int().min(min).max(max);
/** Fingerprints one after another, which become the ids of requests. */
const fingerprints = z
  .custom<Binary>(
    value => typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'Binary',
  )
  .transform(({ buffer }) => idsIn(Buffer.from(buffer)));

const SCHEMAS = {
  queueAdd: z.strictObject({
    fingerprints,
    urls: many(text(urlBytes)),
    hosts: many(
      z
        .string()
        .regex(/^[^\s/\0]+$/)
        .max(hostChars),
    ),
    data: many(text(dataBytes).nullable()),
    priority: whole(-priority, priority),
    forefront: z.boolean(),
  }),
  queueTake: z.strictObject({ take: whole(1, 2 ** 31 - 1), count: whole(1, requestsAtOnce) }),
  queueSettle: z.strictObject({
    fingerprints,
    takes: many(whole(1, 2 ** 31 - 1)),
    outcomes: z.string().regex(/^[xfdw]+$/),
    delays: many(whole(0, delayMs)),
    errors: many(text(4 * errorChars).nullable()),
  }),
  queueCounts: z.strictObject({}),
  queueDrop: z.strictObject({}),
} satisfies Record<QueueMethod, z.ZodType>;

export type AddArguments = z.output<typeof SCHEMAS.queueAdd>;
export type TakeArguments = z.output<typeof SCHEMAS.queueTake>;
export type SettleArguments = z.output<typeof SCHEMAS.queueSettle>;

/** Each call has one value of each list for each request. */
const LISTS = ['urls', 'hosts', 'data', 'takes', 'outcomes', 'delays', 'errors'];

/**
 * Decodes and checks the arguments of a call.
 * @throws {StorageFailure} `storage_too_large`, or `storage_rejected` naming a field.
 */
export function parseQueueArguments({ collection: name, method, args }: QueueOperation): unknown {
  if (!QUEUE_NAME.test(name)) {
    throw rejected('The name of a queue has up to 64 lower-case letters, digits, dots, dashes and underscores.');
  }
  if (args.length > LIMITS.storageOperationBytes) {
    throw new StorageFailure(
      'storage_too_large',
      `The call is ${args.length} bytes as BSON; the limit is ${LIMITS.storageOperationBytes}.`,
    );
  }
  const bytes = Buffer.from(args.buffer, args.byteOffset, args.byteLength);
  checkBson(bytes);
  const parsed = SCHEMAS[method].safeParse(deserialize(bytes));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw rejected(`${issue?.path.join('.') || 'The arguments'}: ${issue?.message ?? 'not valid for this call'}`);
  }
  const fields = parsed.data as Record<string, { length: number }>;
  const wrong = LISTS.find(list => fields[list] && fields[list].length !== fields.fingerprints?.length);
  if (wrong) throw rejected(`${wrong}: expected a value for each fingerprint`);
  return parsed.data;
}

function idsIn(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; at += FINGERPRINT_BYTES)
    ids.push(bytes.toString('hex', at, at + FINGERPRINT_BYTES));
  // A fingerprint that is cut is no UUID.
  if (bytes.length % FINGERPRINT_BYTES !== 0) ids.length = 0;
  return ids;
}

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
