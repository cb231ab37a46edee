import { useRef } from 'react';
import type { Execution } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { ADDED_FIELDS } from '../../../components/values/added-fields.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useAcceptVerdict } from './accept-verdict.js';
import { FieldSelectors, RowSelectors } from './suggested-selectors.js';

/** Findings that are shown at first. */
const SHOWN = 3;

/** Returns a row without the fields that `dataset.push` adds, which would hide its own in a line. */
const fieldsOfSkript = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !ADDED_FIELDS.includes(name)));

type Finding = NonNullable<Execution['verdict']>['findings'][number];

function Findings({ executionId, findings }: { executionId: string; findings: Finding[] }) {
  return (
    <ul className="findings">
      {findings.map(({ level, target, field, what, was, now, text, rows }) => (
        <li key={`${target} ${text}`}>
          {inReadingOrder(text.replaceAll(' %', '\u00a0%'))}{' '}
          <span className="cell-sub">in {inReadingOrder(target)}</span>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other key, and the list never changes.
            <JsonTree key={index} value={fieldsOfSkript(row)} openDepth={0} />
          ))}
          {level === 'broken' && what === 'filled' && field !== null && (
            <FieldSelectors executionId={executionId} field={field} target={target} />
          )}
          {level === 'broken' && what === 'rows' && now < was && (
            <RowSelectors executionId={executionId} target={target} />
          )}
        </li>
      ))}
    </ul>
  );
}

const HEADINGS = { broken: 'The rows are broken', unusual: 'The rows are unusual', new: 'The rows were not judged' };

/** What Trawl thinks of the rows of a run, and a button to accept them. */
export function RunVerdict({ execution: { id, verdict } }: { execution: Execution }) {
  const accept = useAcceptVerdict();
  const heading = useRef<HTMLHeadingElement>(null);
  if (!verdict) return null;
  const { level, reason, findings, is_held: isHeld, accepted_at: acceptedAt } = verdict;
  if (level === 'new' && !isHeld)
    return reason && <p className="target-note">Trawl has not judged these rows. {reason}</p>;
  if (level === 'ok') return <p className="target-note">These rows are as usual.</p>;
  // The button is gone afterwards.
  const send = () => accept.mutate(id, { onSuccess: () => heading.current?.focus() });
  return (
    <section className={`card result ${level === 'broken' ? 'failure' : 'unusual'}`} aria-label="Verdict">
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {HEADINGS[level]}
        </h2>
        {!acceptedAt && (
          <FocusableButton size="xs" variant="default" loading={accept.isPending} onClick={send}>
            {isHeld ? 'Accept' : 'This is normal now'}
          </FocusableButton>
        )}
      </header>
      {acceptedAt && (
        <p>
          You accepted them on <TimeText iso={acceptedAt} zone />. Trawl compares later runs with this one.
        </p>
      )}
      {level === 'new' && <p>{reason}</p>}
      {isHeld && <p>Exports leave out these rows until you accept them.</p>}
      <Findings executionId={id} findings={findings.slice(0, SHOWN)} />
      {findings.length > SHOWN && (
        <details>
          <summary>{findings.length - SHOWN} more</summary>
          <Findings executionId={id} findings={findings.slice(SHOWN)} />
        </details>
      )}
    </section>
  );
}
