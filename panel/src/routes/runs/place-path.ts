import type { Execution } from '../../api/entities.js';
import type { Place } from '../../features/skript-executions/stack-parts.js';
import type { usePanelPath } from '../../session/panel-path.js';

/** Returns the path of the editor at a place in a file, with the run below. `version` names the files that ran, which may have changed. */
export function placePath(
  path: ReturnType<typeof usePanelPath>,
  { id, skript, bundle_hash }: Execution,
  place: Place,
): string {
  const query = new URLSearchParams({
    file: place.file,
    line: String(place.line),
    column: String(place.column),
    ...(bundle_hash === null ? {} : { version: bundle_hash }),
    execution_id: id,
  });
  return path('skripts', `/${skript.id}?${query}`);
}
