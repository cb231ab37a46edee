import { Button } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { useStopExecution } from '../api/stop-execution.js';

/** Nothing, once the run is over. */
export function StopButton({ execution, size = 'xs' }: { execution: Execution; size?: 'xs' | 'sm' }) {
  const stop = useStopExecution();
  if (!isLive(execution.action)) return null;
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconPlayerStop size={15} aria-hidden />}
      loading={stop.isPending}
      onClick={() => stop.mutate(execution.id)}
      aria-label={`Stop ${execution.skript.name}`}
    >
      Stop
    </Button>
  );
}
