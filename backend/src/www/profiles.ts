import type { EntityManager } from 'typeorm';
import type { ProfileFields, SentFrom } from './form-rules.js';

/** What somebody said at sign-up, and where the server saw it come from. */
export type Profile = ProfileFields & SentFrom & { seen_ip: string };

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
] as const satisfies (keyof Profile)[];

const SAVE = `INSERT INTO profiles (user_id, ${COLUMNS.join(', ')})
  VALUES ($1, ${COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})`;

/** The profile of an account that has none. */
export async function saveProfile(userId: string, profile: Profile, transaction: EntityManager): Promise<void> {
  await transaction.query(SAVE, [userId, ...COLUMNS.map(name => profile[name])]);
}
