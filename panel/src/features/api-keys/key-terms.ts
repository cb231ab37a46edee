import type { KeyScope } from '@trawl/contracts';
import type { ApiKey } from '../../api/entities.js';

/** For each scope of an API key: its label, and a text that says what the key may do. */
export const SCOPES: Record<KeyScope, { label: string; may: string }> = {
  read: { label: 'read', may: 'Reads skripts, runs, echoes, documents and tables. Changes nothing.' },
  run: { label: 'run', may: 'Reads, and starts, stops, pauses and resumes runs.' },
  all: { label: 'all', may: 'Everything your account can do, except managing keys, passwords and sessions.' },
};

const DAY_MS = 24 * 60 * 60 * 1000;

export const LIFETIMES = [
  { value: '1', label: '1 day' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
] as const;

/** Returns the ISO time at which a key expires; null if `days` is '' (never). `now` is in ms. */
export const expiryOf = (days: string, now: number): string | null =>
  days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString();

export type KeyState = 'in use' | 'never used' | 'expired' | 'revoked';

/** `now` is in ms. */
export function keyState(key: ApiKey, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (key.expires_at && Date.parse(key.expires_at) <= now) return 'expired';
  return key.last_used_at ? 'in use' : 'never used';
}
