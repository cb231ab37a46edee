import { Alert, Button, Code, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { Mesh } from '../page/mesh.js';
import { MessageText } from './message-text.js';

interface EmptyStateProps {
  title: string;
  children: ReactNode;
  /** Button for the next step. */
  action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="empty">
      <Mesh />
      <h2>{title}</h2>
      <p>{children}</p>
      {action && <div>{action}</div>}
    </div>
  );
}

interface ErrorStateProps {
  /** Says what failed, such as "The skripts could not be loaded". */
  what: string;
  error: unknown;
  /** May return a promise: until it resolves, the button shows that the retry runs. */
  onRetry?: () => unknown;
  /** True in a container without padding. */
  inset?: boolean;
}

export function ErrorState({ what, error, onRetry, inset = false }: ErrorStateProps) {
  const [isRetrying, setRetrying] = useState(false);
  const retry = async () => {
    setRetrying(true);
    await onRetry?.();
    setRetrying(false);
  };
  // The same call would be refused again, or find nothing again.
  const isFinal = error instanceof ApiError && [400, 403, 404].includes(error.status);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={what}
      m={inset ? 'md' : undefined}
    >
      <Text size="sm">
        <MessageText of={error} />
      </Text>
      {requestId && (
        <Text size="xs" mt={6} c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry && !isFinal && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={isRetrying}
          onClick={() => void retry()}
        >
          Try again
        </Button>
      )}
    </Alert>
  );
}
