import { confirmDelete, typedCount } from '../../../components/feedback/confirm-delete.js';

/** Asks for confirmation and lists what the deletion removes. `total` is the number of skripts. */
export function confirmPurgeSkripts(total: number, onConfirm: () => void): void {
  confirmDelete({
    title: total === 1 ? 'Delete your only skript?' : `Delete all ${total.toLocaleString()} skripts?`,
    confirmLabel: 'Delete all skripts',
    typed: typedCount(total),
    onConfirm,
    children: (
      <>
        This permanently deletes your skripts with their files, versions, inputs, input secrets and schedules. Past
        executions and the data they stored remain, and Trawl keeps skripts that are running. Download the skripts that
        you may need again first.
      </>
    ),
  });
}
