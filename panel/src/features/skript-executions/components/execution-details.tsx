import type { ReactNode } from 'react';
import type { Execution } from '../../../api/entities.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';

type Fact = [name: string, value: ReactNode];

function Facts({ label, facts }: { label: string; facts: Fact[] }) {
  return (
    <section className="card" aria-label={label}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? inReadingOrder(value) : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The fields of a run that its head leaves out. */
export function ExecutionDetails({ execution }: { execution: Execution }) {
  return (
    <Facts
      label="Details"
      facts={[
        ['Run ID', <CopyId key="id" id={execution.id} of="the run" />],
        ['Category', execution.skript.category || '–'],
        ['Input', execution.input?.name ?? ((execution.input_value ?? null) === null ? '–' : 'typed')],
        ['Input secret', execution.inputSecret?.name ?? '–'],
        ...(execution.schedule ? [['Schedule', execution.schedule.name] satisfies Fact] : []),
        ['Attempt', execution.attempt],
        ['Started', execution.started_at ? <TimeText key="started" iso={execution.started_at} zone /> : 'not yet'],
        ['Ended', execution.ended_at ? <TimeText key="ended" iso={execution.ended_at} zone /> : 'not yet'],
        ['Updated', <TimeText key="updated" iso={execution.updated_at} zone />],
      ]}
    />
  );
}
