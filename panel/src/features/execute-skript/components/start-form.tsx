import { Button, Checkbox, Group, NumberInput, SegmentedControl, SimpleGrid, Stack, Tooltip } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { LIMITS } from '@trawl/contracts';
import { type FormEvent, memo, useState } from 'react';
import { FocusableButton } from '../../../components/focusable-button.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { WorkerSelect } from '../../../components/selects/worker-select.js';
import { WorkersSelect } from '../../../components/selects/workers-select.js';
import { useKeptForm } from '../../../components/unsaved/use-kept-form.js';
import { useIsStarting } from '../api/start-run.js';
import type { RunLimits, RunRequest } from '../start-call.js';
import { type InitialInput, useRunInput } from '../use-run-input.js';
import { InputFields } from './input-fields.js';

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

/** Actions with the filled form besides a run. */
export type OtherUse = 'schedule' | 'curl' | 'javascript';

interface StartFormProps {
  skriptId: string;
  initialWorkerId: string;
  initialInput: InitialInput;
  onSkript: (skriptId: string) => void;
  /** Call `onKept` when a run or the skript has the typed input. */
  onStart: (request: RunRequest, onKept: () => void) => void;
  onOtherUse: (use: OtherUse, request: RunRequest, onKept: () => void) => void;
}

function RunButton({ workers }: { workers: number }) {
  return (
    <FocusableButton
      type="submit"
      size="md"
      className="run-button"
      loading={useIsStarting()}
      leftSection={<IconPlayerPlayFilled size={16} aria-hidden />}
    >
      {workers > 1 ? `Run on ${workers} workers` : 'Run'}
    </FocusableButton>
  );
}

/**
 * The form that starts a run, or ends in a schedule, a curl command or JavaScript. While a run starts and appears, the form
 * does not render, because its fields would delay the first echo.
 */
export const StartForm = memo((props: StartFormProps) => {
  const { skriptId, initialWorkerId, initialInput, onSkript, onStart, onOtherUse } = props;
  const [isMulti, setMulti] = useState(false);
  const [workerId, setWorkerId] = useState(initialWorkerId);
  const [workerIds, setWorkerIds] = useState<string[]>([]);
  const input = useRunInput(skriptId, initialInput);
  const [limits, setLimits] = useState<RunLimits>({});
  const [force, setForce] = useState(false);
  const [record, setRecord] = useState(false);
  const [wasTried, setTried] = useState(false);
  const missingWorkers = isMulti && workerIds.length === 0;
  useKeptForm({
    name: `run ${skriptId}`,
    input: input.unsaved && { typed: input.unsaved, isMulti, workerId, workerIds, limits, force, record },
    restore: before => {
      input.restore(before.typed);
      setMulti(before.isMulti);
      setWorkerId(before.workerId);
      setWorkerIds(before.workerIds);
      setLimits(before.limits);
      setForce(before.force);
      setRecord(before.record);
    },
  });

  const chooseSkript = (id: string | null) => {
    input.reset();
    setTried(false);
    onSkript(id ?? '');
  };

  /** Passes on what the form says, if it is complete. Otherwise shows what is missing. */
  const withRequest = (use: (request: RunRequest) => void) => {
    const values = input.inputOfRequest();
    if (skriptId === '' || missingWorkers || values === null) {
      setTried(true);
      input.markTried();
      return;
    }
    use({ skript_id: skriptId, worker_ids: isMulti ? workerIds : [workerId], force, record, limits, input: values });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    withRequest(request => onStart(request, input.markKept));
  };

  return (
    <form className="card start-form" onSubmit={submit} aria-label="Start a run" noValidate>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <SkriptSelect
          label="Skript"
          placeholder="Choose a skript"
          value={skriptId || null}
          onChange={chooseSkript}
          error={wasTried && skriptId === '' ? 'Choose a skript to run' : undefined}
        />
        <div className="start-workers">
          {isMulti ? (
            <WorkersSelect
              value={workerIds}
              onChange={setWorkerIds}
              error={wasTried && missingWorkers ? 'Choose at least one worker' : undefined}
            />
          ) : (
            <WorkerSelect value={workerId} onChange={setWorkerId} />
          )}
          <SegmentedControl
            size="xs"
            aria-label="How many workers"
            data={[
              { value: 'one', label: 'One worker' },
              { value: 'several', label: 'Several' },
            ]}
            value={isMulti ? 'several' : 'one'}
            onChange={value => setMulti(value === 'several')}
          />
        </div>
      </SimpleGrid>
      <InputFields key={skriptId} input={input} />
      <details className="form-more">
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
      <div className="form-foot">
        <Stack gap="xs">
          <Checkbox
            label="Start even if the same run is in progress"
            checked={force}
            onChange={event => setForce(event.currentTarget.checked)}
          />
          <Checkbox
            label="Record its HTTP exchanges, for a replay"
            checked={record}
            onChange={event => setRecord(event.currentTarget.checked)}
          />
        </Stack>
        <Group gap="xs" className="start-ends">
          <Tooltip label="A schedule runs on one worker" disabled={!isMulti}>
            <FocusableButton
              variant="default"
              disabled={isMulti}
              onClick={() => withRequest(request => onOtherUse('schedule', request, input.markKept))}
            >
              Schedule…
            </FocusableButton>
          </Tooltip>
          <Button variant="default" onClick={() => withRequest(request => onOtherUse('curl', request, input.markKept))}>
            curl
          </Button>
          <Button
            variant="default"
            onClick={() => withRequest(request => onOtherUse('javascript', request, input.markKept))}
          >
            JavaScript
          </Button>
          <RunButton workers={isMulti ? workerIds.length : 1} />
        </Group>
      </div>
    </form>
  );
});
