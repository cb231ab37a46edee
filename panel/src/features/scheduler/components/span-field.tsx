import { Button, Group, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { fieldMessages } from '../../../api/field-messages.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { TimeZoneSelect } from '../../../components/selects/time-zone-select.js';
import { spanWords } from '../../../components/values/span-words.js';
import { TimeText } from '../../../components/values/time-text.js';
import { usePreview } from '../api/preview-schedule.js';
import { COMMON_SPANS } from '../common-spans.js';

const TYPING_PAUSE_MS = 300;
/** Subjects of the API's errors. */
export const SPAN_LABELS = { cron_span: 'The cron span', time_zone: 'The time zone' };
export const OWN_TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

interface SpanFieldProps {
  span: string;
  timeZone: string;
  onSpan: (span: string) => void;
  onTimeZone: (timeZone: string) => void;
  error?: string;
}

/** The fields for the cron span and its time zone. They say the span in words and list its next five times. */
export function SpanField({ span, timeZone, onSpan, onTimeZone, error }: SpanFieldProps) {
  const [settled] = useDebouncedValue(span.trim(), TYPING_PAUSE_MS);
  const preview = usePreview(settled, timeZone);
  const problems = fieldMessages(preview.error, SPAN_LABELS);
  const refusal = preview.error
    ? (problems.cron_span ?? problems.time_zone ?? <MessageText of={preview.error} />)
    : undefined;
  const words = spanWords(settled);
  return (
    <div className="span-field">
      <Group gap="xs" mb="xs" role="group" aria-label="Common times">
        {COMMON_SPANS.map(({ label, span: common }) => (
          <Button
            key={common}
            size="compact-sm"
            variant={span === common ? 'light' : 'default'}
            aria-pressed={span === common}
            onClick={() => onSpan(common)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label="When"
          description="Minute, hour, day of the month, month, day of the week"
          placeholder="30 6 * * MON-FRI"
          required
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={span}
          onChange={event => onSpan(event.currentTarget.value)}
          error={error ?? refusal}
        />
        <TimeZoneSelect
          description="Daylight saving time is followed"
          value={timeZone}
          onChange={zone => zone && onTimeZone(zone)}
        />
      </SimpleGrid>
      {settled !== '' && !refusal && (
        <div className="span-preview" aria-live="polite">
          {words && <strong>{words}.</strong>}
          {preview.data && (
            <ol aria-label="The next five times">
              {preview.data.next_fires.map(iso => (
                <li key={iso}>
                  <TimeText iso={iso} zone utc />
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
    </div>
  );
}
