import { Checkbox, NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ENVIRONMENTS, LIMITS } from '@trawl/contracts';
import type { SkriptBody } from '../../../api/entities.js';

export interface SkriptForm {
  title: string;
  description: string;
  category: string;
  environment: NonNullable<SkriptBody['environment']>;
  /** As the API has it, in ms. */
  worker_response_timeout: number;
  warm: boolean;
  retries: number;
  /** ms. */
  retry_delay_ms: number;
  thumbnail: string;
}

const { min, max, default: defaultTimeoutMs } = LIMITS.workerResponseTimeoutMs;

export const NEW_SKRIPT: SkriptForm = {
  title: '',
  description: '',
  category: 'general',
  environment: 'nodejs',
  worker_response_timeout: defaultTimeoutMs,
  warm: false,
  retries: LIMITS.retries.default,
  retry_delay_ms: LIMITS.retryDelayMs.default,
  thumbnail: '',
};

export const skriptRules = {
  title: (title: string) => (title.trim() === '' ? 'Give the skript a title' : null),
  worker_response_timeout: (ms: number) =>
    ms >= min && ms <= max ? null : `Between ${min.toLocaleString()} and ${max.toLocaleString()} ms`,
};

interface SkriptFieldsProps {
  form: UseFormReturnType<SkriptForm>;
  /** The fields that a new skript can do without. */
  withAll: boolean;
}

export function SkriptFields({ form, withAll }: SkriptFieldsProps) {
  return (
    <>
      <TextInput label="Title" withAsterisk mb="md" data-autofocus maxLength={200} {...form.getInputProps('title')} />
      <Textarea label="Description" autosize minRows={2} maxRows={8} mb="md" {...form.getInputProps('description')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
        <TextInput label="Category" description="Groups your skripts" {...form.getInputProps('category')} />
        <Select
          label="Environment"
          description="python is planned; it does not run yet"
          data={[...ENVIRONMENTS]}
          allowDeselect={false}
          {...form.getInputProps('environment')}
        />
      </SimpleGrid>
      {withAll && (
        <>
          <Checkbox
            label="Warm"
            description="The process of a run is kept for 30 s for this skript’s next run, which finds the module loaded and its variables as they were left."
            mb="md"
            {...form.getInputProps('warm', { type: 'checkbox' })}
          />
          <NumberInput
            label="Worker response timeout (ms)"
            description="A run that takes longer is ended."
            thousandSeparator=","
            allowDecimal={false}
            allowNegative={false}
            step={1000}
            mb="md"
            {...form.getInputProps('worker_response_timeout')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
            <NumberInput
              label="Retries"
              description="How often a run that ends with an error is tried again."
              allowDecimal={false}
              allowNegative={false}
              max={LIMITS.retries.max}
              {...form.getInputProps('retries')}
            />
            <NumberInput
              label="Pause before a retry (ms)"
              description="From the end of one try to the next."
              thousandSeparator=","
              allowDecimal={false}
              allowNegative={false}
              step={1000}
              max={LIMITS.retryDelayMs.max}
              {...form.getInputProps('retry_delay_ms')}
            />
          </SimpleGrid>
          <TextInput
            label="Thumbnail"
            description="The https address of an image, or a data:image address"
            mb="md"
            {...form.getInputProps('thumbnail')}
          />
        </>
      )}
    </>
  );
}
