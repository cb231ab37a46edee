import { beforeEnd } from '../before-end.js';
import type { SiteSession } from './site-session.js';

/** Sessions of this run that may have changed. */
const changed = new Set<SiteSession>();

/** Saves a session before the run ends, unless `forgetChanges` is called before. */
export function saveBeforeEnd(session: SiteSession): void {
  changed.add(session);
  beforeEnd(saveChanged);
}

export function forgetChanges(session: SiteSession): void {
  changed.delete(session);
}

export const saveOrWarn = (session: SiteSession): Promise<void> =>
  session.save().catch(error => console.warn(`The session ${session.name} was not saved: ${(error as Error).message}`));

function saveChanged(): Promise<void> | undefined {
  if (changed.size === 0) return undefined;
  const saving = [...changed].map(saveOrWarn);
  changed.clear();
  return Promise.all(saving).then(() => {});
}
