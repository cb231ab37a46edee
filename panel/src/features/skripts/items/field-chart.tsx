import '../../../styles/runs/changes.css';
import { Select, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinePlot, type LinePoint } from '../../../components/chart/line-plot.js';
import { ErrorState } from '../../../components/feedback/states.js';

interface FieldChartProps {
  title: string;
  note: string;
  /** Fields with numbers, of which the user chooses one. */
  fields: string[];
  field: string | null;
  onField: (field: string | null) => void;
  query: { isError: boolean; error: unknown; refetch: () => Promise<unknown> };
  /** Undefined while they load. */
  points: readonly LinePoint[] | undefined;
  isStepped?: boolean;
}

/** A card with the line of a number that the user chooses. */
export function FieldChart({ title, note, fields, field, onField, query, points, isStepped }: FieldChartProps) {
  const content = (): ReactNode => {
    if (query.isError && !points)
      return <ErrorState what="The line could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
    if (!points) return <Skeleton height={140} mt="sm" radius={8} />;
    if (points.length === 0) return <p className="change-note">No run has stored a number in this field.</p>;
    return <LinePlot points={points} label={`${title}, ${field}`} isStepped={isStepped} />;
  };
  return (
    <section className="card line-chart" aria-label={title}>
      <header className="change-bar">
        <div>
          <h2 className="tab-title">{title}</h2>
          <span className="cell-sub">{note}</span>
        </div>
        <Select
          w={{ base: '100%', sm: 240 }}
          ml="auto"
          searchable
          label="Number"
          allowDeselect={false}
          data={field === null || fields.includes(field) ? fields : [field, ...fields]}
          value={field}
          onChange={onField}
        />
      </header>
      {content()}
    </section>
  );
}
