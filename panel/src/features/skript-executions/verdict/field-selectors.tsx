import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useSuggestedSelectors } from './suggest-selectors.js';

interface FieldSelectorsProps {
  executionId: string;
  field: string;
  target: string;
}

/** Asks where the values of a field that became empty are now, and shows selectors for them. */
export function FieldSelectors({ executionId, field, target }: FieldSelectorsProps) {
  const [isAsked, setAsked] = useState(false);
  const { data, error, isFetching, refetch } = useSuggestedSelectors(executionId, field, target, isAsked);
  const result = useRef<HTMLDivElement>(null);
  // The button is gone then.
  useEffect(() => {
    if (isAsked && data) result.current?.focus();
  }, [isAsked, data]);
  return (
    <div className="field-selectors">
      {!data && !error && (
        <FocusableButton size="compact-xs" variant="light" loading={isFetching} onClick={() => setAsked(true)}>
          Where did the value go?<span className="visually-hidden"> ({field})</span>
        </FocusableButton>
      )}
      {error && <ErrorState what="The pages could not be compared" error={error} onRetry={refetch} />}
      <div role="status" ref={result} tabIndex={-1}>
        {data && <p>{data.reason === null ? 'The values are here now:' : inReadingOrder(data.reason)}</p>}
        {data && data.items.length > 0 && (
          <ul>
            {data.items.map(({ selector, attribute, pages, example }) => (
              <li key={`${selector} ${attribute}`}>
                <code>{inReadingOrder(selector)}</code>
                <CopyButton value={selector}>
                  {({ copied, copy }) => (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      onClick={copy}
                      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
                      aria-label={`Copy ${selector}`}
                    >
                      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
                    </Button>
                  )}
                </CopyButton>
                <span className="cell-sub">
                  {attribute !== null && <>attribute {inReadingOrder(attribute)}, </>}
                  on {pages} of {data.pages} {data.pages === 1 ? 'page' : 'pages'}, such as “{inReadingOrder(example)}”
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
