import { Checkbox, NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ENVIRONMENTS, LIMITS, type RecordMode } from '@trawl/contracts';
import type { SkriptBody } from '../../../api/entities.js';
import { PoolField } from './pool-field.js';

/** Labels of the fields, for the API's errors. */
export const SKRIPT_LABELS: Record<keyof SkriptForm, string> = {
  title: 'Title',
  description: 'Description',
  category: 'Category',
  environment: 'Environment',
  worker_response_timeout: 'Worker response timeout (ms)',
  time_limit_ms: 'Time limit (ms)',
  warm: 'Warm',
  retries: 'Retries',
  retry_delay_ms: 'Delay between attempts (ms)',
  keep_exchanges: 'Keep what failed runs saw',
  polite: 'Polite',
  proxy: 'Pool of proxies',
  record: 'Record',
  thumbnail: 'Thumbnail',
};

/** As in the API. */
export const TITLE_CHARS = 120;

export interface SkriptForm {
  title: string;
  description: string;
  category: string;
  environment: NonNullable<SkriptBody['environment']>;
  /** In ms. */
  worker_response_timeout: number;
  /** In ms. */
  time_limit_ms: number;
  warm: boolean;
  retries: number;
  /** In ms. */
  retry_delay_ms: number;
  keep_exchanges: boolean;
  polite: boolean;
  /** Name of a pool; null: no proxies. */
  proxy: string | null;
  record: RecordMode;
  thumbnail: string;
}

export const NEW_SKRIPT: SkriptForm = {
  title: '',
  description: '',
  category: 'general',
  environment: 'nodejs',
  worker_response_timeout: LIMITS.workerResponseTimeoutMs.default,
  time_limit_ms: LIMITS.timeLimitMs.default,
  warm: false,
  retries: LIMITS.retries.default,
  retry_delay_ms: LIMITS.retryDelayMs.default,
  keep_exchanges: true,
  polite: true,
  proxy: null,
  record: 'off',
  thumbnail: '',
};

export const skriptRules = {
  title: (title: string) => (title.trim() === '' ? 'Enter a title' : null),
  worker_response_timeout: (ms: number) => rangeProblem(ms, LIMITS.workerResponseTimeoutMs),
  time_limit_ms: (ms: number) => rangeProblem(ms, LIMITS.timeLimitMs),
};

const rangeProblem = (ms: number, { min, max }: { min: number; max: number }): string | null =>
  ms >= min && ms <= max ? null : `Between ${min.toLocaleString()} and ${max.toLocaleString()} ms`;

interface SkriptFieldsProps {
  form: UseFormReturnType<SkriptForm>;
  /** True to show the optional fields too. The form for a new skript omits them. */
  withAll: boolean;
}

export function SkriptFields({ form, withAll }: SkriptFieldsProps) {
  return (
    <>
      <TextInput
        label={SKRIPT_LABELS.title}
        withAsterisk
        mb="md"
        data-autofocus
        maxLength={TITLE_CHARS}
        {...form.getInputProps('title')}
      />
      <Textarea
        label={SKRIPT_LABELS.description}
        autosize
        minRows={2}
        maxRows={8}
        mb="md"
        {...form.getInputProps('description')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
        <TextInput
          label={SKRIPT_LABELS.category}
          description="Groups your skripts"
          {...form.getInputProps('category')}
        />
        <Select
          label={SKRIPT_LABELS.environment}
          description="python is planned; it does not run yet"
          data={[...ENVIRONMENTS]}
          allowDeselect={false}
          {...form.getInputProps('environment')}
        />
      </SimpleGrid>
      {withAll && (
        <>
          <Checkbox
            label={SKRIPT_LABELS.warm}
            description="Keeps the process for 30 s after a run. The next run of this skript reuses it, with the module loaded and its variables unchanged."
            mb="md"
            {...form.getInputProps('warm', { type: 'checkbox' })}
          />
          <Checkbox
            label={SKRIPT_LABELS.keep_exchanges}
            description="Keeps the last 50 HTTP exchanges of a run that fails or whose rows are broken, without secrets and cookies."
            mb="md"
            {...form.getInputProps('keep_exchanges', { type: 'checkbox' })}
          />
          <Checkbox
            label={SKRIPT_LABELS.polite}
            description="Requests wait, so that all your polite runs together keep to the budget of each domain."
            mb="md"
            {...form.getInputProps('polite', { type: 'checkbox' })}
          />
          <PoolField label={SKRIPT_LABELS.proxy} {...form.getInputProps('proxy')} />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
            <NumberInput
              label={SKRIPT_LABELS.time_limit_ms}
              description="Trawl ends a run that takes longer."
              thousandSeparator=","
              allowDecimal={false}
              allowNegative={false}
              step={1000}
              {...form.getInputProps('time_limit_ms')}
            />
            <NumberInput
              label={SKRIPT_LABELS.worker_response_timeout}
              description="How long an API call waits for the run’s result."
              thousandSeparator=","
              allowDecimal={false}
              allowNegative={false}
              step={1000}
              {...form.getInputProps('worker_response_timeout')}
            />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
            <NumberInput
              label={SKRIPT_LABELS.retries}
              description="How many times Trawl retries a failed run."
              allowDecimal={false}
              allowNegative={false}
              max={LIMITS.retries.max}
              {...form.getInputProps('retries')}
            />
            <NumberInput
              label={SKRIPT_LABELS.retry_delay_ms}
              description="From the end of one attempt to the start of the next."
              thousandSeparator=","
              allowDecimal={false}
              allowNegative={false}
              step={1000}
              max={LIMITS.retryDelayMs.max}
              {...form.getInputProps('retry_delay_ms')}
            />
          </SimpleGrid>
          <Select
            label={SKRIPT_LABELS.record}
            description="Keeps the HTTP exchanges of runs for 30 days, so that you can replay them without the network."
            data={[
              { value: 'off', label: 'No run' },
              { value: 'next', label: 'The next run' },
              { value: 'always', label: 'Every run' },
            ]}
            allowDeselect={false}
            mb="md"
            {...form.getInputProps('record')}
          />
          <TextInput
            label={SKRIPT_LABELS.thumbnail}
            description="An https: or data:image URL"
            mb="md"
            {...form.getInputProps('thumbnail')}
          />
        </>
      )}
    </>
  );
}
