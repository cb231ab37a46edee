import { beforeEnd } from '../before-end.js';

interface Savable {
  readonly name: string;
  save(): Promise<void>;
}

/** Sessions of this run that may have changed. */
const changed = new Set<Savable>();

/** Saves a session before the run ends, unless `forgetChanges` is called before. */
export function saveBeforeEnd(session: Savable): void {
  changed.add(session);
  beforeEnd(saveChanged);
}

export function forgetChanges(session: Savable): void {
  changed.delete(session);
}

export const saveOrWarn = (session: Savable): Promise<void> =>
  session.save().catch(error => console.warn(`The session ${session.name} was not saved: ${(error as Error).message}`));

function saveChanged(): Promise<void> | undefined {
  if (changed.size === 0) return undefined;
  const saving = [...changed].map(saveOrWarn);
  changed.clear();
  return Promise.all(saving).then(() => {});
}
