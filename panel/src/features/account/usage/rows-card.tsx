import { SegmentedControl } from '@mantine/core';
import type { Preferences } from '../../../api/entities.js';
import { useAccount } from '../../../api/requests/get-account.js';
import { useSetPreferences } from '../../../components/list/preferences/set-preferences.js';

const ROWS: { value: Preferences['rows']; label: string }[] = [
  { value: 'compact', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
];

/** Chooses the height of the rows in lists, on all devices of the user. */
export function RowsCard() {
  const rows = useAccount().data?.preferences?.rows;
  const set = useSetPreferences();
  return (
    <section className="card account-card" aria-labelledby="rows">
      <h2 id="rows">Rows of lists</h2>
      <SegmentedControl
        aria-labelledby="rows"
        data={ROWS}
        disabled={!rows}
        value={rows ?? 'compact'}
        onChange={value => set.mutate({ rows: value as Preferences['rows'] })}
      />
    </section>
  );
}
