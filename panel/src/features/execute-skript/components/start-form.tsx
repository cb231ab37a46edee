import { Checkbox, NumberInput, SegmentedControl, Select, SimpleGrid, Textarea } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { LIMITS } from '@trawl/contracts';
import { type FormEvent, useState } from 'react';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from '../../../api/default-input.js';
import type { JsonValue } from '../../../api/entities.js';
import { useInputSecrets } from '../../../api/requests/list-input-secrets.js';
import { useInputs } from '../../../api/requests/list-inputs.js';
import { useWorkers } from '../../../api/requests/list-workers.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { parseJson } from '../../../components/json-tree/json-nodes.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { useUnsavedWork } from '../../../components/unsaved/unsaved-work.js';
import type { RunInput, RunLimits, RunRequest } from '../api/start-run.js';

const { timeLimitMs: TIME_LIMIT_MS, retries: RETRIES, retryDelayMs: RETRY_DELAY_MS } = LIMITS;

const LIMIT_FIELDS: { name: keyof RunLimits; label: string; min: number; max: number; step: number }[] = [
  {
    name: 'timeout_ms',
    label: 'Time limit per attempt (ms)',
    min: TIME_LIMIT_MS.min,
    max: TIME_LIMIT_MS.max,
    step: 1000,
  },
  { name: 'retries', label: 'Retries after an error', min: 0, max: RETRIES.max, step: 1 },
  { name: 'retry_delay_ms', label: 'Delay between attempts (ms)', min: 0, max: RETRY_DELAY_MS.max, step: 1000 },
];

const ANY_WORKER = { value: 'any', label: 'any – the least busy suitable worker' };

interface StartFormProps {
  skriptId: string;
  /** The saved values to choose at first: null for none, undefined for the skript's default. */
  initialInputId?: string | null;
  initialSecretId?: string | null;
  onSkript: (skriptId: string) => void;
  onStart: (request: RunRequest) => void;
  isStarting: boolean;
}

/** Parses the JSON text that the user typed. Returns the value or the error; no value for an empty text. */
const typedValue = (text: string): { value?: JsonValue } | { error: string } =>
  text.trim() === '' ? {} : parseJson(text);

const errorOf = (typed: ReturnType<typeof typedValue>): string | undefined =>
  'error' in typed ? `Not valid JSON: ${typed.error}` : undefined;

export function StartForm(props: StartFormProps) {
  const { skriptId, initialInputId, initialSecretId, onSkript, onStart, isStarting } = props;
  const workers = useWorkers({ limit: 1000, sort: 'name' });
  const inputs = useInputs(skriptId);
  const secrets = useInputSecrets(skriptId);
  const [workerId, setWorkerId] = useState('any');
  const [from, setFrom] = useState<RunInput['from']>('stored');
  // Undefined until the user chooses; null if the user chose to run without an input.
  const [chosenInputId, setInputId] = useState(initialInputId);
  const [chosenSecretId, setSecretId] = useState(initialSecretId);
  const [inputText, setInputText] = useState('');
  const [secretText, setSecretText] = useState('');
  const typed = from === 'typed' ? inputText + secretText : '';
  const [startedWith, setStartedWith] = useState('');
  useUnsavedWork(typed !== '' && typed !== startedWith);
  const [limits, setLimits] = useState<RunLimits>({});
  const [force, setForce] = useState(false);
  const [missingSkript, setMissingSkript] = useState(false);

  const inputId = chosenInputId === undefined ? defaultInputId(inputs.data?.items, DEFAULT_INPUT) : chosenInputId;
  const secretId =
    chosenSecretId === undefined ? defaultInputId(secrets.data?.items, DEFAULT_INPUT_SECRET) : chosenSecretId;
  const input = typedValue(inputText);
  const inputSecret = typedValue(secretText);

  const chooseSkript = (id: string | null) => {
    setInputId(undefined);
    setSecretId(undefined);
    setMissingSkript(false);
    onSkript(id ?? '');
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (skriptId === '') return setMissingSkript(true);
    if (from === 'stored') {
      return onStart({
        skript_id: skriptId,
        worker_id: workerId,
        force,
        limits,
        input: { from, input_id: inputId, inputSecret_id: secretId },
      });
    }
    if ('error' in input || 'error' in inputSecret) return;
    onStart({
      skript_id: skriptId,
      worker_id: workerId,
      force,
      limits,
      input: { from, input: input.value, inputSecret: inputSecret.value },
    });
    setStartedWith(typed);
  };

  return (
    <form className="card start-form" onSubmit={submit} aria-label="Start a run">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <SkriptSelect
          label="Skript"
          placeholder="Choose a skript"
          value={skriptId || null}
          onChange={chooseSkript}
          error={missingSkript ? 'Choose a skript to run' : undefined}
        />
        <Select
          label="Worker"
          data={[
            ANY_WORKER,
            ...(workers.data?.items.map(({ id, name, status, usable }) => ({
              value: id,
              label: `${name} (${usable ? status : 'cannot run your skripts'})`,
              disabled: !usable,
            })) ?? []),
          ]}
          value={workerId}
          onChange={value => setWorkerId(value ?? 'any')}
          allowDeselect={false}
          error={workers.isError ? workers.error.message : undefined}
        />
      </SimpleGrid>
      <SegmentedControl
        my="md"
        aria-label="Where the input comes from"
        data={[
          { value: 'stored', label: 'Saved inputs' },
          { value: 'typed', label: 'Typed values' },
        ]}
        value={from}
        onChange={value => setFrom(value as RunInput['from'])}
      />
      {from === 'stored' ? (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <SavedValueSelect label="Input" saved={inputs} value={inputId} onChange={setInputId} />
          <SavedValueSelect label="Input secret" saved={secrets} value={secretId} onChange={setSecretId} />
        </SimpleGrid>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <Textarea
            label="Input (JSON)"
            placeholder='{ "pages": 3 }'
            autosize
            minRows={3}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={inputText}
            onChange={event => setInputText(event.currentTarget.value)}
            error={errorOf(input)}
          />
          <Textarea
            label="Input secret (JSON)"
            description="Sent only to the run, and deleted when the run ends."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={3}
            maxRows={14}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: 'mono' }}
            value={secretText}
            onChange={event => setSecretText(event.currentTarget.value)}
            error={errorOf(inputSecret)}
          />
        </SimpleGrid>
      )}
      <details className="start-limits">
        <summary>Time limit and retries</summary>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" mt="sm">
          {LIMIT_FIELDS.map(({ name, ...field }) => (
            <NumberInput
              key={name}
              {...field}
              placeholder="as in the skript"
              thousandSeparator=","
              allowDecimal={false}
              allowNegative={false}
              value={limits[name] ?? ''}
              onChange={value => setLimits({ ...limits, [name]: typeof value === 'number' ? value : undefined })}
            />
          ))}
        </SimpleGrid>
      </details>
      <div className="start-foot">
        <Checkbox
          label="Start even if the same run is in progress"
          checked={force}
          onChange={event => setForce(event.currentTarget.checked)}
        />
        <FocusableButton
          type="submit"
          size="md"
          className="run-button"
          loading={isStarting}
          leftSection={<IconPlayerPlayFilled size={16} aria-hidden />}
        >
          Run
        </FocusableButton>
      </div>
    </form>
  );
}

interface SavedValueSelectProps {
  label: string;
  saved: { data?: { items: { id: string; name: string }[] }; error: Error | null };
  value: string | null;
  onChange: (id: string | null) => void;
}

function SavedValueSelect({ label, saved, value, onChange }: SavedValueSelectProps) {
  return (
    <Select
      label={label}
      placeholder={saved.data?.items.length === 0 ? `No saved ${label.toLowerCase()}s` : 'None'}
      clearable
      allowDeselect={false}
      data={saved.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      value={value}
      onChange={onChange}
      error={saved.error?.message}
    />
  );
}
