import { LIMITS, ROLES } from '@trawl/contracts';
import { z } from 'zod';

const account = z.object({
  username: z.string().min(3).max(254).toLowerCase(),
  role: z.enum(ROLES),
  password: z.string().min(LIMITS.passwordChars.min).max(LIMITS.passwordChars.max).regex(/\S/),
});

const accounts = z
  .array(account)
  .refine(all => all.some(({ role }) => role === 'admin'), 'at least one account must have the role admin')
  .refine(
    all => new Set(all.map(({ username }) => username)).size === all.length,
    'two accounts have the same username',
  );

/** The setting with the accounts of the first start, as JSON. Its errors never repeat the passwords. */
export const firstAccounts = z.string().transform((text, context) => {
  const { success, data, error } = accounts.safeParse(jsonOf(text));
  if (success) return data;
  const [issue] = error.issues;
  context.addIssue({
    code: 'custom',
    message: `must be JSON such as [{"username": "admin", "role": "admin", "password": "at least ${LIMITS.passwordChars.min} characters"}] (${[...(issue?.path ?? []), issue?.message].join(': ')})`,
  });
  return z.NEVER;
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
