import { Interrupted } from '../failure.js';
import { askConsent } from './ask.js';
import type { Output } from './output.js';

export interface ConfirmOptions {
  /** Do not ask. */
  yes?: boolean;
  dryRun?: boolean;
}

/**
 * Asks whether to do something that cannot be undone, such as `delete Books`. With --dry-run, shows it and returns false.
 *
 * @throws {Interrupted} if the person says no
 */
export async function confirm(what: string, { yes, dryRun }: ConfirmOptions, output: Output): Promise<boolean> {
  if (dryRun) {
    output.planned(what);
    return false;
  }
  const question = `${what.charAt(0).toUpperCase()}${what.slice(1)}?`;
  if (!yes && !(await askConsent(question, 'Confirm it with --yes.'))) throw new Interrupted();
  return true;
}
