import { confirmDelete } from '../../../components/confirm-delete.js';

/** Asks first, and says what goes. `total`: how many skripts there are. */
export function askToPurgeSkripts(total: number, onConfirm: () => void): void {
  confirmDelete({
    title: total === 1 ? 'Delete your one skript?' : `Delete all ${total.toLocaleString()} skripts?`,
    confirmLabel: 'Delete all skripts',
    onConfirm,
    children: (
      <>
        Their files, versions, inputs, input secrets and schedules go with them, for good. Past executions and what they
        stored in databases stay, and so does a skript that a run goes on of. Download first what you may want again.
      </>
    ),
  });
}
