import { QUOTA_NAMES, type QuotaName } from '@trawl/contracts';
import type { Quotas } from '../../api/entities.js';

export const QUOTA_LABELS: Record<QuotaName, string> = {
  skripts: 'Skripts',
  file_bytes: 'Files (bytes)',
  inputs: 'Inputs and input secrets',
  runs_at_once: 'Runs at once',
  runs_per_day: 'Starts a day (UTC)',
  storage_bytes: 'MongoDB storage (bytes)',
  databases: 'MongoDB databases',
  api_keys: 'API keys',
  schedules: 'Schedules',
};

/** As a form has them: '' is what the installation says. */
export type QuotaTexts = Record<QuotaName, number | ''>;

export const quotaTexts = (quotas: Quotas): QuotaTexts =>
  Object.fromEntries(QUOTA_NAMES.map(name => [name, quotas[name] ?? ''])) as QuotaTexts;

/** As the API takes them: null goes back to what the installation says. */
export const quotasOf = (texts: QuotaTexts): Quotas =>
  Object.fromEntries(QUOTA_NAMES.map(name => [name, texts[name] === '' ? null : texts[name]]));

/** How many of its own an account has. */
export const ownQuotas = (quotas: Quotas): number =>
  QUOTA_NAMES.filter(name => quotas[name] !== null && quotas[name] !== undefined).length;
