import type { Skript } from '../../../api/entities.js';
import { NameModal } from '../../../components/unsaved/name-modal.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { useDuplicateSkript } from '../api/duplicate-skript.js';
import { TITLE_CHARS } from '../components/skript-fields.js';

const COPY = ' (copy)';

/** Asks for the title of the copy, and opens it. */
export default function DuplicateModal({ skript, onClose }: { skript: Skript; onClose: () => void }) {
  const path = usePanelPath();
  return (
    <NameModal
      title="Duplicate this skript"
      label="Title of the copy"
      description="The copy has the saved files, inputs and settings. It has no input secrets, schedules and webhooks."
      initialName={`${skript.title.slice(0, TITLE_CHARS - COPY.length)}${COPY}`}
      maxLength={TITLE_CHARS}
      button="Duplicate"
      failure="The skript was not duplicated"
      request={useDuplicateSkript()}
      toSend={title => ({ skript, title })}
      hrefOf={({ id }) => path('skripts', `/${id}`)}
      onClose={onClose}
    />
  );
}
