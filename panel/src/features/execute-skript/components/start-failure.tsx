import { Alert, Button, Group, Text } from '@mantine/core';
import type { BundleProblem } from '@trawl/contracts';
import { Link } from 'react-router';
import { ApiError } from '../../../api/api-error.js';
import { BundleProblems, problemsOf } from '../../../components/feedback/bundle-problems.js';
import { MessageText } from '../../../components/feedback/message-text.js';

interface StartFailureProps {
  error: unknown;
  executionHref: (executionId: string) => string;
  onForce: () => void;
  onOpenProblem?: (problem: BundleProblem) => void;
}

const runningId = (error: unknown): string | null => {
  if (!(error instanceof ApiError) || error.code !== 'already_running') return null;
  const id = (error.details as { execution_id?: unknown } | null | undefined)?.execution_id;
  return typeof id === 'string' ? id : '';
};

/** Shows why a run did not start and what to do next. */
export function StartFailure({ error, executionHref, onForce, onOpenProblem }: StartFailureProps) {
  const running = runningId(error);
  if (running !== null) {
    return (
      <Alert role="alert" color="yellow" variant="light" title="The same run is already in progress">
        <Text size="sm">
          It has the same skript, worker, input and input secret. Open that run, or start a second one beside it.
        </Text>
        <Group gap="xs" mt="sm">
          {running && (
            <Button size="xs" variant="default" component={Link} to={executionHref(running)}>
              Open run
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onForce}>
            Start anyway
          </Button>
        </Group>
      </Alert>
    );
  }
  if (problemsOf(error).length > 0) return <BundleProblems error={error} onOpen={onOpenProblem} />;
  return (
    <Alert role="alert" color="red" variant="light" title="The run did not start">
      <MessageText of={error} />
    </Alert>
  );
}
