import { RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';
import type { ReactNode } from 'react';
import type { Execution } from '../../../api/entities.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { ActionStatus, WaitingText } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';

const errorMeaning = (code: string): string => RUN_ERRORS[code as RunErrorCode] ?? '';

/** All fields of an execution except its output. */
export function ExecutionDetails({ execution }: { execution: Execution }) {
  const facts: [string, ReactNode][] = [
    [
      'Action',
      <>
        <ActionStatus action={execution.action} waiting={execution.waiting_for} />
        {execution.waiting_for && (
          <span className="cell-sub">
            <WaitingText waiting={execution.waiting_for} />, since <TimeText iso={execution.waiting_for.since} zone />
          </span>
        )}
      </>,
    ],
    ['Worker', execution.worker?.name ?? 'not chosen yet'],
    ['Category', execution.skript.category || '–'],
    ['Input', execution.input?.name ?? '–'],
    ['Input secret', execution.inputSecret?.name ?? '–'],
    ...(execution.schedule ? [['Schedule', execution.schedule.name] satisfies [string, ReactNode]] : []),
    ['Try', execution.attempt],
    ['Created', <TimeText key="created" iso={execution.created_at} zone />],
    ['Updated', <TimeText key="updated" iso={execution.updated_at} zone />],
    ['Execution ID', <CopyId key="id" id={execution.id} of="the execution" />],
  ];
  return (
    <dl className="facts card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {execution.error_code && (
        <div data-full>
          <dt>Error</dt>
          <dd className="tone-error">
            <span className="mono">{execution.error_code}</span> {errorMeaning(execution.error_code)}
          </dd>
        </div>
      )}
    </dl>
  );
}
