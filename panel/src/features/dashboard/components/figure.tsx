import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface FigureProps {
  label: string;
  /** Page about the figure. Without one, the figure is plain text. */
  to?: string;
  /** Undefined while it loads. */
  value: ReactNode;
  note?: ReactNode;
  /** How the figure has changed. */
  trend?: ReactNode;
  /** Colours the value of something that needs attention. */
  tone?: 'warn' | 'error' | false | undefined;
}

/** A number with its name, one cell of a line of figures. */
export function Figure({ label, to, value, note, trend, tone }: FigureProps) {
  const content = (
    <>
      <span className="figure-label">{label}</span>
      {value === undefined ? (
        <Skeleton height={20} width={48} my={5} />
      ) : (
        <span className={`figure-value tabular tone-${tone || 'quiet'}`} data-tone={tone || undefined}>
          {value}
        </span>
      )}
      {note && <span className="figure-note">{note}</span>}
      {trend}
    </>
  );
  return to === undefined ? (
    <div className="figure">{content}</div>
  ) : (
    <Link className="figure" to={to}>
      {content}
    </Link>
  );
}
