import { Button, Group } from '@mantine/core';
import { IconFileCode } from '@tabler/icons-react';
import { isLive, RUN_ERRORS } from '@trawl/contracts';
import { Fragment } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { Bounded } from '../../../components/scroll/bounded.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { messageAndTrace, type Place, stackParts } from '../stack-parts.js';

interface ExecutionResultProps {
  execution: Execution;
  /** Path of the editor at a place in the skript's files. */
  placeHref: (place: Place) => string;
}

/** The text of an error, with links from its places to the editor. */
function LinkedText({ text, placeHref }: { text: string; placeHref: ExecutionResultProps['placeHref'] }) {
  return stackParts(text).map((part, index) => {
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

/** Why a run failed: its own message first, then what its error code means, then the trace. */
function RunFailure({ execution: { error_code: code, error_stack }, placeHref }: ExecutionResultProps) {
  const stack = inReadingOrder(error_stack ?? '');
  const { message, trace } = messageAndTrace(stack);
  const first = stackParts(stack).find(({ place }) => place !== null)?.place;
  return (
    <section className="card result" aria-label="Error">
      <Group justify="space-between" mb="xs">
        <h2>Error</h2>
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
      </Group>
      <Bounded label="Text of the error">
        {message !== '' && (
          <pre className="error-message">
            <LinkedText text={message} placeHref={placeHref} />
          </pre>
        )}
        {code && (
          <p>
            <span className="mono">{code}</span> {RUN_ERRORS[code] ?? ''}
          </p>
        )}
        {trace !== '' && (
          <pre className="stack">
            <LinkedText text={trace} placeHref={placeHref} />
          </pre>
        )}
      </Bounded>
    </section>
  );
}

/** The output of a run, or its error with the file and line in the skript. */
export function ExecutionResult({ execution, placeHref }: ExecutionResultProps) {
  if (execution.error_code || execution.error_stack) return <RunFailure execution={execution} placeHref={placeHref} />;
  // A live update says that the run has ended, but does not have its output.
  const isLoading = !isLive(execution.action) && execution.ended_at === null;
  return (
    <section className="card result" aria-label="Output">
      <h2>Output</h2>
      {isLoading ? (
        <p>Loading the output…</p>
      ) : execution.action === 'end' ? (
        <Bounded label="Value of the output">
          <JsonTree value={execution.output ?? null} openDepth={2} />
        </Bounded>
      ) : (
        <p>
          {isLive(execution.action) ? 'The output appears when the run ends.' : 'This run ended without an output.'}
        </p>
      )}
    </section>
  );
}
