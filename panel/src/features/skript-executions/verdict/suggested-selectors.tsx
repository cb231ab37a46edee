import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { type Suggested, useRowSelectors, useSuggestedSelectors } from './suggest-selectors.js';

/** Asks where the values of a field that became empty are now, and shows selectors for them. */
export function FieldSelectors({ executionId, field, target }: { executionId: string; field: string; target: string }) {
  const [isAsked, setAsked] = useState(false);
  const query = useSuggestedSelectors(executionId, field, target, isAsked);
  return (
    <Answer query={query} question="Where did the value go?" about={field} onAsk={() => setAsked(true)}>
      {({ items, pages, reason }) => (
        <>
          <p>{reason === null ? 'The values are here now:' : inReadingOrder(reason)}</p>
          {items.length > 0 && <SelectorList items={items} pages={pages} />}
        </>
      )}
    </Answer>
  );
}

/**
 * Asks where the rows are that the run has not found, and shows selectors of their element and of their fields.
 *
 * @param target of the finding; undefined for a run that failed
 */
export function RowSelectors({ executionId, target }: { executionId: string; target?: string }) {
  const [isAsked, setAsked] = useState(false);
  const query = useRowSelectors(executionId, target, isAsked);
  return (
    <Answer query={query} question="Where did the rows go?" about={target} onAsk={() => setAsked(true)}>
      {({ row, fields, pages, reason }) => (
        <>
          <p>{reason === null ? 'The rows are here now:' : inReadingOrder(reason)}</p>
          {fields.length > 0 && (
            <dl className="suggested-fields">
              {row && (
                <div>
                  <dt className="suggested-field">Each row</dt>
                  <dd>
                    <ul>
                      <li>
                        <CopiedSelector selector={row.selector} />
                        <span className="cell-sub">
                          {row.rows} on {onPages(row.pages, pages)}
                        </span>
                      </li>
                    </ul>
                  </dd>
                </div>
              )}
              {fields.map(({ field, items }) => (
                <div key={field}>
                  <dt className="suggested-field">{inReadingOrder(field)}</dt>
                  <dd>
                    <SelectorList items={items} pages={pages} of={field} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
    </Answer>
  );
}

interface AnswerProps<Data> {
  query: UseQueryResult<Data>;
  question: string;
  about?: string | undefined;
  onAsk: () => void;
  children: (data: Data) => ReactNode;
}

/** A button that asks a question, and then its answer in the button's place. */
function Answer<Data>({
  query: { data, error, isFetching, refetch },
  question,
  about,
  onAsk,
  children,
}: AnswerProps<Data>) {
  const result = useRef<HTMLDivElement>(null);
  const wasAsked = useRef(false);
  // The button is gone then.
  useEffect(() => {
    if (wasAsked.current && data) result.current?.focus();
  }, [data]);
  const ask = () => {
    wasAsked.current = true;
    onAsk();
  };
  return (
    <div className="suggested-selectors">
      {!data && !error && (
        <FocusableButton size="compact-xs" variant="light" loading={isFetching} onClick={ask}>
          {question}
          {about !== undefined && <span className="visually-hidden"> ({about})</span>}
        </FocusableButton>
      )}
      {error && <ErrorState what="The pages could not be compared" error={error} onRetry={refetch} />}
      <div role="status" ref={result} tabIndex={-1}>
        {data && children(data)}
      </div>
    </div>
  );
}

function SelectorList({ items, pages, of }: { items: Suggested[]; pages: number; of?: string }) {
  return (
    <ul>
      {items.map(({ selector, attribute, pages: found, example }) => (
        <li key={`${selector} ${attribute}`}>
          <CopiedSelector selector={selector} of={of} />
          <span className="cell-sub">
            {attribute !== null && <>attribute {inReadingOrder(attribute)}, </>}
            on {onPages(found, pages)}, such as “{inReadingOrder(example)}”
          </span>
        </li>
      ))}
    </ul>
  );
}

const onPages = (found: number, pages: number): string => `${found} of ${pages} ${pages === 1 ? 'page' : 'pages'}`;

function CopiedSelector({ selector, of }: { selector: string; of?: string }) {
  return (
    <>
      <code>{inReadingOrder(selector)}</code>
      <CopyButton value={selector}>
        {({ copied, copy }) => (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            aria-label={of === undefined ? `Copy ${selector}` : `Copy ${selector} of ${of}`}
          >
            <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
          </Button>
        )}
      </CopyButton>
    </>
  );
}
