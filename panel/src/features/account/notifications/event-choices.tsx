import { Checkbox, SimpleGrid } from '@mantine/core';
import { EVENT_TYPES, EVENTS, type EventType } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { MessageText } from '../../../components/feedback/message-text.js';

const LABELS: Record<EventType, string> = {
  'run.completed': 'Run completed',
  'run.failed': 'Run failed',
  'run.stopped': 'Run stopped',
  'rows.broken': 'Rows broken',
  'rows.fresh': 'Rows too old',
  'rows.changed': 'Rows changed',
  'schedule.missed': 'Schedule missed',
  'schedule.problem': 'Schedule has a problem',
  'worker.lost': 'Worker lost',
  'export.finished': 'Export finished',
  'import.finished': 'Import finished',
  'quota.warning': 'Quota nearly used up',
};

export const eventLabel = (event: string): string =>
  event === 'test' ? 'Test' : (LABELS[event as EventType] ?? event);

/** Events of a skript's runs and schedules, the only ones that a webhook of a skript sends. */
const SKRIPT_EVENTS = EVENT_TYPES.filter(event => /^(?:run|rows|schedule)\./.test(event));

interface EventChoicesProps {
  label: string;
  /** True if only events of a skript can be chosen. */
  ofSkript?: boolean;
  value: readonly EventType[];
  onChange: (events: EventType[]) => void;
  error?: ReactNode;
}

/** Checkboxes of the events that an account can hear of. */
export function EventChoices({ label, ofSkript = false, value, onChange, error }: EventChoicesProps) {
  return (
    <Checkbox.Group label={label} value={[...value]} onChange={chosen => onChange(chosen as EventType[])} error={error}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt={8}>
        {(ofSkript ? SKRIPT_EVENTS : EVENT_TYPES).map(event => (
          <Checkbox key={event} value={event} label={LABELS[event]} description={<MessageText of={EVENTS[event]} />} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
