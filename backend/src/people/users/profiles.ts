import type { EntityManager } from 'typeorm';

const COLUMNS = [
  'first_name',
  'last_name',
  'city',
  'country',
  'phone',
  'website',
  'company_name',
  'company_location',
  'company_vat',
  'comment',
  'ip',
  'seen_ip',
  'time',
  'referer',
] as const;

/**
 * The visitor's entries in the sign-up form, and `seen_ip`, the IP address that the server saw. Omitted fields are
 * empty strings.
 */
export type Profile = Record<(typeof COLUMNS)[number], string>;

const SAVE = `INSERT INTO profiles (user_id, ${COLUMNS.join(', ')})
  VALUES ($1, ${COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})`;

/** Saves the profile of an account, unless the account already has one. */
export async function saveProfile(userId: string, profile: Profile, transaction: EntityManager): Promise<void> {
  await transaction.query(SAVE, [userId, ...COLUMNS.map(name => profile[name])]);
}
