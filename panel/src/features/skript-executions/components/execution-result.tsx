import { Button, Group } from '@mantine/core';
import { IconFileCode } from '@tabler/icons-react';
import { isLive } from '@trawl/contracts';
import { Fragment } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { type Place, stackParts } from '../stack-parts.js';

interface ExecutionResultProps {
  execution: Execution;
  /** Path of the editor at a place in the skript's files. */
  placeHref: (place: Place) => string;
}

/** The output of a run, or its error with the file and line in the skript. */
export function ExecutionResult({ execution, placeHref }: ExecutionResultProps) {
  if (execution.error_stack) {
    const parts = stackParts(inReadingOrder(execution.error_stack));
    const first = parts.find(({ place }) => place !== null)?.place;
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
        <pre className="stack">
          {parts.map((part, index) => {
            const key = `${index} ${part.text}`;
            return part.place ? (
              <Link key={key} to={placeHref(part.place)}>
                {part.text}
              </Link>
            ) : (
              <Fragment key={key}>{part.text}</Fragment>
            );
          })}
        </pre>
      </section>
    );
  }
  // A live update says that the run has ended, but does not have its output.
  const isLoading = !isLive(execution.action) && execution.ended_at === null;
  return (
    <section className="card result" aria-label="Output">
      <h2>Output</h2>
      {isLoading ? (
        <p>Loading the output…</p>
      ) : execution.action === 'end' ? (
        <JsonTree value={execution.output ?? null} openDepth={2} />
      ) : (
        <p>
          {isLive(execution.action) ? 'The output appears when the run ends.' : 'This run ended without an output.'}
        </p>
      )}
    </section>
  );
}
