import { RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { durationText } from '../../../components/values/duration-text.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { ActionStatus, WaitingText } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';

/** How long the run took on its worker. Waiting for one does not count. */
const durationOf = ({ started_at: from, ended_at: to }: Execution): string =>
  from && to ? durationText(Date.parse(to) - Date.parse(from)) : '–';

const errorMeaning = (code: string): string => RUN_ERRORS[code as RunErrorCode] ?? '';

/** All fields of an execution except its output. */
const SHORT_HASH = 10;

interface ExecutionDetailsProps {
  execution: Execution;
  /** Paths of the skript's editor, of the version that ran, and of the workers. */
  links: { skript: string; version: string; workers: string };
}

export function ExecutionDetails({ execution, links }: ExecutionDetailsProps) {
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
    [
      'Skript',
      <Link key="skript" className="link" to={links.skript}>
        {inReadingOrder(execution.skript.name)}
      </Link>,
    ],
    [
      'Version',
      <Link key="version" className="link mono" to={links.version} title={execution.bundle_hash}>
        {execution.bundle_hash.slice(0, SHORT_HASH)}
      </Link>,
    ],
    [
      'Worker',
      execution.worker ? (
        <Link key="worker" className="link" to={links.workers}>
          {execution.worker.name}
        </Link>
      ) : (
        'not chosen yet'
      ),
    ],
    ['Duration', durationOf(execution)],
    ['Dataset rows', execution.rows.toLocaleString()],
    ['Category', execution.skript.category || '–'],
    ['Input', execution.input?.name ?? ((execution.input_value ?? null) === null ? '–' : 'typed')],
    ['Input secret', execution.inputSecret?.name ?? '–'],
    ...(execution.schedule ? [['Schedule', execution.schedule.name] satisfies [string, ReactNode]] : []),
    ['Attempt', execution.attempt],
    ['Created', <TimeText key="created" iso={execution.created_at} zone />],
    ['Ended', execution.ended_at ? <TimeText key="ended" iso={execution.ended_at} zone /> : 'not yet'],
    ['Execution ID', <CopyId key="id" id={execution.id} of="the execution" />],
  ];
  return (
    <dl className="facts card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? inReadingOrder(value) : value}</dd>
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
