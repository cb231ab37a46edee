import * as z from 'zod';

/** The effects that a broken verdict can have, besides its notification. */
export const ON_BROKEN = ['notify', 'fail', 'hold'] as const;
export type OnBroken = (typeof ON_BROKEN)[number];

export const MAX_CONTRACT_ROWS = 1_000_000_000;
/** A year. */
export const MAX_FRESH_HOURS = 8_784;
const MAX_FILLED_FIELDS = 200;
const MAX_KEY_PARTS = 10;

const count = z.int().min(0).max(MAX_CONTRACT_ROWS);
/** One to four names, joined by dots: the profile of a run reads no deeper. */
const path = z
  .string()
  .max(200)
  .regex(/^[^.]+(\.[^.]+){0,3}$/);

/** Describes the rows that each run of a skript must store with `dataset.push`. */
const contractSchema = z.strictObject({
  /** Least and largest number of rows. */
  min: count.optional(),
  max: count.optional(),
  /** The field whose value a row is known by, or several. */
  key: z.union([path, z.array(path).min(1).max(MAX_KEY_PARTS)]).optional(),
  /** Smallest share of rows in which a field has a value, by its dotted path. */
  fill: z
    .record(path, z.number().min(0).max(1))
    .refine(fill => Object.keys(fill).length <= MAX_FILLED_FIELDS)
    .optional(),
  /** JSON Schema of each row. */
  schema: z.record(z.string(), z.unknown()).optional(),
  /** At least one good run must end within this number of hours. */
  fresh_hours: z.int().min(1).max(MAX_FRESH_HOURS).optional(),
  on_broken: z.enum(ON_BROKEN).optional(),
});
export type RowContract = z.infer<typeof contractSchema>;

const EXPECTED: Record<keyof RowContract, string> = {
  min: `a whole number between 0 and ${MAX_CONTRACT_ROWS}`,
  max: `a whole number between 0 and ${MAX_CONTRACT_ROWS}`,
  key: `a field such as sku, a path of up to 4 names such as product.sku, or a list of 1 to ${MAX_KEY_PARTS} of them`,
  fill: `an object of up to ${MAX_FILLED_FIELDS} paths of up to 4 names, each with the least share of rows that have a value, such as { "price": 0.95 }`,
  schema: 'a JSON Schema object',
  fresh_hours: `a whole number between 1 and ${MAX_FRESH_HOURS}`,
  on_broken: `one of ${ON_BROKEN.join(', ')}`,
};

/** Reads a contract. Returns the reason, as a sentence without a period, if the value is none. Does not check its schema. */
export function readRowContract(value: unknown): { contract: RowContract } | { problem: string } {
  const { success, data, error } = contractSchema.safeParse(value);
  if (!success) return { problem: problemOf(error.issues[0]) };
  if (data.min !== undefined && data.max !== undefined && data.min > data.max)
    return { problem: `rows.min must be at most rows.max; you sent ${data.min} and ${data.max}` };
  return { contract: data };
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  const names = Object.keys(EXPECTED);
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    return `rows.${name.slice(0, 100)} is not a field of a contract; it may have ${names.join(', ')}`;
  }
  const name = String(issue?.path[0] ?? '') as keyof RowContract;
  return names.includes(name)
    ? `rows.${name} must be ${EXPECTED[name]}`
    : `rows must be an object with some of ${names.join(', ')}, or null`;
}
