import { byteSize, countText } from '@trawl/contracts';
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

/** Returns the use of proxies by a run; nothing if it used none. */
function proxyFacts({ proxy_use: use }: Execution): Fact[] {
  if (!use) return [];
  const { connections, failures, bytes_sent: sent, bytes_received: received, cost } = use;
  const facts: Fact[] = [
    ['Through proxies', `${countText(connections, 'connection')}, ${countText(failures, 'failure')}`],
    ['Proxy traffic', `${byteSize(received)} received, ${byteSize(sent)} sent`],
  ];
  if (cost !== null) facts.push(['Proxy cost', cost.toLocaleString('en-GB', { maximumFractionDigits: 4 })]);
  return facts;
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
        ...proxyFacts(execution),
        ['Started', execution.started_at ? <TimeText key="started" iso={execution.started_at} zone /> : 'not yet'],
        ['Ended', execution.ended_at ? <TimeText key="ended" iso={execution.ended_at} zone /> : 'not yet'],
        ['Updated', <TimeText key="updated" iso={execution.updated_at} zone />],
      ]}
    />
  );
}
