import { Button } from '@mantine/core';
import { IconFileCode } from '@tabler/icons-react';
import { RUN_ERRORS } from '@trawl/contracts';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useRanVersion } from '../../../api/requests/get-skript.js';
import { Bounded } from '../../../components/scroll/bounded.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { firstPlace, headingOf, messageAndTrace, type Place, stackParts } from '../stack-parts.js';

type PlaceHref = (place: Place) => string;

interface LinkedTextProps {
  text: string;
  files: ReadonlySet<string>;
  placeHref: PlaceHref;
}

/** The text of an error, with links from its places to the editor. */
function LinkedText({ text, files, placeHref }: LinkedTextProps) {
  return stackParts(text, files).map((part, index) => {
    const key = `${index} ${part.text}`;
    return part.place ? (
      <Link key={key} to={placeHref(part.place)}>
        {part.text}
      </Link>
    ) : (
      <Fragment key={key}>{part.text}</Fragment>
    );
  });
}

interface RunFailureProps {
  execution: Execution;
  /** Path of the editor at a place in the skript's files. */
  placeHref: PlaceHref;
  /** More about the cause, shown below the message. */
  children?: ReactNode;
}

/** Whether a run has an error to show. */
export const hasFailed = ({ error_code: code, error_stack: stack }: Execution): boolean => Boolean(code || stack);

/** Why a run failed: its own message as heading, then what its error code means, then the trace. */
export function RunFailure({ execution, placeHref, children }: RunFailureProps) {
  const { error_code: code } = execution;
  const stack = inReadingOrder(execution.error_stack ?? '');
  const { data: version } = useRanVersion(execution, stack !== '');
  const files = new Set(version?.files.map(({ name }) => name));
  const { message, trace } = messageAndTrace(stack);
  const heading = headingOf(message);
  const first = firstPlace(stack, files);
  const meaning = (code && RUN_ERRORS[code]) || 'The run failed.';
  return (
    <section className="card result failure" aria-label="Error">
      <header>
        <h2>{heading || meaning}</h2>
        {first && (
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={placeHref(first)}
            leftSection={<IconFileCode size={15} aria-hidden />}
          >
            {`Open ${first.file}:${first.line}`}
          </Button>
        )}
      </header>
      <Bounded label="Text of the error">
        {message !== heading && (
          <pre className="stack">
            <LinkedText text={message} files={files} placeHref={placeHref} />
          </pre>
        )}
        {code && (
          <p>
            <span className="mono">{code}</span> {heading === '' ? '' : meaning}
          </p>
        )}
        {trace !== '' && (
          <pre className="stack">
            <LinkedText text={trace} files={files} placeHref={placeHref} />
          </pre>
        )}
      </Bounded>
      {children}
    </section>
  );
}
