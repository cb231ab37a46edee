import { IconDownload } from '@tabler/icons-react';
import type { Execution } from '../../api/entities.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { useDownloadRows } from '../../features/skript-executions/api/download-rows.js';
import type { RunTarget } from '../../features/skript-executions/run-targets.js';
import { placeOfTarget, sourceOfTarget } from './target-place.js';
import { useTargetDatabases } from './use-target-databases.js';

interface RowsButtonProps {
  execution: Execution;
  targets: readonly RunTarget[];
}

/** Downloads the rows of a run: those of the first target with rows. Shows nothing for a run without rows. */
export function RowsButton({ execution, targets }: RowsButtonProps) {
  const save = useDownloadRows();
  const databases = useTargetDatabases(targets).data?.items ?? [];
  const sources = targets
    .filter(({ kind, stored }) => kind !== 'values' && stored > 0)
    .map(target => sourceOfTarget(execution, target, placeOfTarget(execution, target, databases)));
  const source = sources.find(one => one !== null);
  if (!source) return null;
  return (
    <FocusableButton
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate(source)}
      title="Download as CSV"
    >
      Export rows
    </FocusableButton>
  );
}
