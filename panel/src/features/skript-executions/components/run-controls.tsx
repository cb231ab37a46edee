import { Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, type TablerIcon } from '@tabler/icons-react';
import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { type Control, useControlExecution } from '../api/control-execution.js';

const BUTTONS: Record<Control, { label: string; Icon: TablerIcon }> = {
  pause: { label: 'Pause', Icon: IconPlayerPause },
  resume: { label: 'Resume', Icon: IconPlayerPlay },
  stop: { label: 'Stop', Icon: IconPlayerStop },
};

interface RunControlsProps {
  execution: Execution;
  /** Size of the buttons. The compact size is for tables and has no icons. */
  size?: 'compact-xs' | 'xs' | 'sm';
}

function ControlButton({ control, execution, size }: RunControlsProps & { control: Control }) {
  const act = useControlExecution(control);
  const { label, Icon } = BUTTONS[control];
  return (
    <FocusableButton
      size={size}
      variant="default"
      leftSection={size === 'compact-xs' ? undefined : <Icon size={15} aria-hidden />}
      loading={act.isPending}
      onClick={() => act.mutate(execution.id)}
      aria-label={`${label} ${inReadingOrder(execution.skript.name)}`}
    >
      {label}
    </FocusableButton>
  );
}

/** Buttons to pause, resume and stop a run. Shows nothing after the run has ended. */
export function RunControls({ execution, size = 'xs' }: RunControlsProps) {
  if (!isLive(execution.action)) return null;
  const isPaused = execution.action === 'pause';
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <ControlButton
        key={isPaused ? 'resume' : 'pause'}
        control={isPaused ? 'resume' : 'pause'}
        execution={execution}
        size={size}
      />
      <ControlButton control="stop" execution={execution} size={size} />
    </Group>
  );
}
