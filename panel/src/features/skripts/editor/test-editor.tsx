import type { Skript } from '../../../api/entities.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import { SkriptEditor } from './skript-editor.js';

/** A skript for tests. */
export const skriptWith = (...files: Skript['files']): Skript =>
  ({ ...NEW_SKRIPT, id: 's1', title: 'Books', files }) as Skript;

/** The editor of a skript that has no run. */
export const editorOf = (skript: Skript) => (
  <SkriptEditor
    skript={skript}
    crumbs={null}
    onRun={() => {}}
    isStarting={false}
    startError={null}
    renderStartFailure={() => null}
    onDelete={() => {}}
    runId=""
    run={null}
  />
);
