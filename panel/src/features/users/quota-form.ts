import { QUOTA_NAMES, type QuotaName } from '@trawl/contracts';
import type { Quotas } from '../../api/entities.js';

/** Quotas in a form; '' means the default of the installation. */
export type QuotaTexts = Record<QuotaName, number | ''>;

export const quotaTexts = (quotas: Quotas): QuotaTexts =>
  Object.fromEntries(QUOTA_NAMES.map(name => [name, quotas[name] ?? ''])) as QuotaTexts;

/** Returns the quotas as the API expects them; null means that the default of the installation applies. */
export const quotasOf = (texts: QuotaTexts): Quotas =>
  Object.fromEntries(QUOTA_NAMES.map(name => [name, texts[name] === '' ? null : texts[name]]));

/** Returns the number of quotas that are set for this user instead of the installation's defaults. */
export const ownQuotas = (quotas: Quotas): number =>
  QUOTA_NAMES.filter(name => quotas[name] !== null && quotas[name] !== undefined).length;
