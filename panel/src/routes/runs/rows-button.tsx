import { IconDownload } from '@tabler/icons-react';
import type { Execution } from '../../api/entities.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { usePlaces } from '../../components/runs/target-place.js';
import { useDownloadRows } from '../../features/skript-executions/api/download-rows.js';
import type { RunTarget } from '../../features/skript-executions/run-targets.js';
import { filterOf, sourceOf } from './rows-of-run.js';

interface RowsButtonProps {
  execution: Execution;
  targets: readonly RunTarget[];
}

/**
 * Downloads the rows of a run: those of the first target with rows that Trawl can tell from the rows of other runs. Shows
 * nothing without one.
 */
export function RowsButton({ execution, targets }: RowsButtonProps) {
  const save = useDownloadRows();
  const { placeOf } = usePlaces(targets);
  const sources = targets
    .filter(target => target.stored > 0 && filterOf(execution, target) !== '')
    .map(target => sourceOf(execution, target, placeOf(target)));
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
