import { Button, SegmentedControl, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Groups } from '../../../api/entities.js';
import { BarPlot } from '../../../components/chart/bar-plot.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { GroupFields } from '../../../components/group/group-fields.js';
import type { GroupSettings } from '../../../components/group/group-settings.js';
import { RowsTable } from '../../../components/list/rows-table.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { useIsPhone } from '../../../components/list/use-is-phone.js';
import { chartNote, type GroupBar, groupBars, groupName, MEASURES, type Measure } from './group-rows.js';

/** About this many bars have a name below. */
const LABELS = { wide: 6, phone: 3 };
/** Fewer bars do not fill the chart: a single one would be as wide as the screen. */
const PLACES = { wide: 12, phone: 6 };
/** Empty space beside a bar, as a part of its place. */
const GAP = 0.09;

const numberText = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 });
const textOf = (value: unknown): string | null =>
  typeof value === 'number' ? numberText.format(value) : value === null || value === undefined ? null : String(value);

const barKey = ({ key }: GroupBar) => key;
const barParts = ({ value }: GroupBar) => [{ part: 'rows', value: Math.max(0, value) }];
const barText = ({ name, value }: GroupBar) => `${name}: ${textOf(value)}`;

/** Bars of one figure, in the colour of dataset rows. Screen readers get the table. */
function GroupChart({ bars }: { bars: GroupBar[] }) {
  const width = useIsPhone() ? 'phone' : 'wide';
  const places = Math.max(bars.length, PLACES[width]);
  const step = Math.ceil(places / LABELS[width]);
  const named = bars.flatMap(({ key, name }, index) => (index % step === 0 ? [{ key, name, index }] : []));
  return (
    <div className="chart-frame">
      <BarPlot bars={bars} keyOf={barKey} partsOf={barParts} textOf={barText} size="tall" places={places} />
      <div className="chart-hours" aria-hidden="true">
        {named.map(({ key, name, index }) => (
          <span
            key={key}
            className="group-name"
            style={{
              left: `${((index + GAP) / places) * 100}%`,
              maxWidth: `${((Math.min(step, places - index) - GAP) / places) * 100}%`,
            }}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

interface GroupsViewProps {
  settings: GroupSettings;
  query: UseQueryResult<Groups>;
  /** Names of fields or columns to suggest. */
  fields: readonly string[];
  /** Address of the export form, to which this adds how to group. */
  exportHref: string;
  /** Filter of the documents. */
  filter?: ReactNode;
}

/** Documents or rows in groups, as a chart and a table. */
export function GroupsView({ settings, query, fields, exportHref, filter }: GroupsViewProps) {
  const params = useUrlParams();
  const groups = query.data?.items ?? [];
  const { every } = settings;
  const measures = (Object.keys(MEASURES) as Measure[]).filter(name => settings.of !== '' || name === 'count');
  const measure = measures.find(name => name === params.get('measure')) ?? 'count';
  const bars = groupBars(groups, every, measure);
  const note = chartNote(groups, every, bars);
  const head = [every === '' ? settings.by : 'From', ...measures.map(name => MEASURES[name])];
  const chosen = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== ''));
  return (
    <section className="card" aria-label="Groups" aria-busy={query.isFetching}>
      <div className="list-bar">
        <GroupFields settings={settings} fields={fields} onChange={changed => params.set({ ...changed })} />
        {filter}
        <span className="bar-end">
          <Button size="sm" variant="default" component={Link} to={`${exportHref}&${chosen}`}>
            Export…
          </Button>
        </span>
      </div>
      {query.isError ? (
        <ErrorState inset what="The groups could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : !query.data ? (
        <Skeleton height={290} m="md" w="auto" />
      ) : groups.length === 0 ? (
        <EmptyState title="There is nothing to group">
          Run the skript that stores the data, or clear the filter.
        </EmptyState>
      ) : (
        <>
          <div className="chart">
            {measures.length > 1 && (
              <SegmentedControl
                size="xs"
                mb="md"
                aria-label="Figure of the chart"
                data={measures.map(value => ({ value, label: MEASURES[value] }))}
                value={measure}
                onChange={value => params.set({ measure: value === 'count' ? null : value })}
              />
            )}
            {bars.length > 0 && <GroupChart bars={bars} />}
            {note && <p className="tab-note">{note}</p>}
          </div>
          <RowsTable
            label="Figures of the groups"
            head={head.map(title => ({ title }))}
            rows={groups.map(grouped => [
              groupName(grouped.group, every),
              ...measures.map(name => textOf(grouped[name])),
            ])}
          />
          {query.data.truncated && (
            <p className="tab-note">
              Only the first {groups.length.toLocaleString('en-GB')} groups are shown. An export can have up to 100,000.
            </p>
          )}
        </>
      )}
    </section>
  );
}
