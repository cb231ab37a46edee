import { SearchSelect } from '../../../components/selects/search-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useExporters } from './exporters.js';

/** An account has at most 50 exporters, so one page has all of them. */
const ALL = { limit: 100, sort: 'name' };

/** Filters exports by the exporter that made them. */
export function ExporterSelect({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const exporters = useExporters(ALL).data?.items ?? [];
  if (exporters.length === 0 && value === null) return null;
  return (
    <SearchSelect
      w={{ base: '100%', sm: 230 }}
      clearable
      aria-label="All exporters"
      placeholder="All exporters"
      choices={exporters.map(({ id, name }) => ({ value: id, label: inReadingOrder(name) }))}
      value={value}
      onChange={onChange}
    />
  );
}
