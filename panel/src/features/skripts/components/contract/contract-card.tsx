import { Alert, Button, Group, NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { MAX_CONTRACT_ROWS, MAX_FRESH_HOURS } from '@trawl/contracts';
import { useEffect } from 'react';
import type { Skript } from '../../../../api/entities.js';
import { fieldMessages, isAtFields } from '../../../../api/field-messages.js';
import { MessageText } from '../../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { useUpdateSkript } from '../../api/update-skript.js';
import { CONTRACT_LABELS, contractOf, contractRules, formOf } from './contract-form.js';

const ON_BROKEN = [
  { value: 'notify', label: 'Notify me' },
  { value: 'fail', label: 'End the run with an error' },
  { value: 'hold', label: 'Hold its rows until I accept them' },
];

/** The contract of a skript: what the rows of each run must be like. */
export function ContractCard({ skript }: { skript: Skript }) {
  const update = useUpdateSkript(skript.id);
  const form = useForm({ initialValues: formOf(skript.rows), validate: contractRules });
  const isDirty = form.isDirty();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new version of the skript changes the form.
  useEffect(() => {
    if (isDirty) return;
    form.setInitialValues(formOf(skript.rows));
    form.reset();
  }, [skript]);
  const submit = form.onSubmit(values =>
    update.mutate(
      { rows: contractOf(values) },
      {
        onSuccess: () => form.resetDirty(),
        onError: error => {
          const messages = Object.entries(fieldMessages(error, CONTRACT_LABELS));
          form.setErrors(Object.fromEntries(messages.map(([name, message]) => [name.slice('rows.'.length), message])));
        },
      },
    ),
  );
  const count = (name: 'min' | 'max') => (
    <NumberInput
      label={CONTRACT_LABELS[`rows.${name}`]}
      thousandSeparator=","
      allowDecimal={false}
      allowNegative={false}
      max={MAX_CONTRACT_ROWS}
      {...form.getInputProps(name)}
    />
  );

  return (
    <form className="card settings-form" onSubmit={submit} aria-label="Contract for the rows">
      <h2>Contract for the rows</h2>
      <p className="tab-note">
        A run whose rows of <code>dataset.push</code> do not meet the contract is broken, from the first run on. Leave
        fields empty that do not matter.
      </p>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
        {count('min')}
        {count('max')}
        <TextInput
          label={CONTRACT_LABELS['rows.key']}
          description="The field by which you know a row, such as sku. Separate several by commas."
          {...form.getInputProps('key')}
        />
        <NumberInput
          label={CONTRACT_LABELS['rows.fresh_hours']}
          description="Trawl tells you when no good run ended for so long."
          allowDecimal={false}
          allowNegative={false}
          max={MAX_FRESH_HOURS}
          {...form.getInputProps('fresh_hours')}
        />
      </SimpleGrid>
      {form.values.fill.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other key.
        <Group key={index} align="flex-end" mb="sm" wrap="nowrap">
          <TextInput
            label={`Filled field ${index + 1}`}
            placeholder="price"
            flex={1}
            {...form.getInputProps(`fill.${index}.path`)}
          />
          <NumberInput
            label={`At least (%) ${index + 1}`}
            min={0}
            max={100}
            flex={1}
            {...form.getInputProps(`fill.${index}.percent`)}
          />
          <Button
            variant="default"
            aria-label={`Remove filled field ${index + 1}`}
            onClick={() => form.removeListItem('fill', index)}
          >
            Remove
          </Button>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        mb="md"
        onClick={() => form.insertListItem('fill', { path: '', percent: 95 })}
      >
        Add a field that must be filled
      </Button>
      <Textarea
        label={CONTRACT_LABELS['rows.schema']}
        autosize
        minRows={2}
        maxRows={14}
        mb="md"
        classNames={{ input: 'mono' }}
        {...form.getInputProps('schema')}
      />
      <Select
        label={CONTRACT_LABELS['rows.on_broken']}
        description="Trawl always sends the notifications that you have set. Exports leave out held rows."
        data={ON_BROKEN}
        allowDeselect={false}
        mb="md"
        {...form.getInputProps('on_broken')}
      />
      {update.isError && (
        <Alert role="alert" color="red" variant="light" mb="md" title="The contract was not saved">
          {!isAtFields(update.error, CONTRACT_LABELS) && <MessageText of={update.error} />}
        </Alert>
      )}
      <FocusableButton type="submit" loading={update.isPending} disabled={!isDirty}>
        Save contract
      </FocusableButton>
    </form>
  );
}
