import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CATCH_UPS, type CatchUp, LIMITS, OVERLAPS, type Overlap } from '@trawl/contracts';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from '../../../api/default-input.js';
import type { Schedule, ScheduleBody } from '../../../api/entities.js';
import { fieldMessages } from '../../../api/field-messages.js';
import { useInputSecrets } from '../../../api/requests/inputs/list-input-secrets.js';
import { useInputs } from '../../../api/requests/inputs/list-inputs.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { SavedValueSelect } from '../../../components/selects/saved-value-select.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { WorkerSelect } from '../../../components/selects/worker-select.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useSaveSchedule } from '../api/save-schedule.js';
import { OWN_TIME_ZONE, SPAN_LABELS, SpanField } from './span-field.js';

const OVERLAP_LABELS: Record<Overlap, string> = {
  skip: 'Skip this run',
  queue: 'Wait for the earlier run to end',
  allow: 'Start another run beside it',
};
const CATCH_UP_LABELS: Record<CatchUp, string> = {
  skip: 'Skip the missed runs',
  once: 'Run once for all of them',
  all: 'Run once for each of the latest 100',
};

/** Values to begin a new schedule with. An input that is null means none; a missing one means the skript's default. */
export interface ScheduleStart {
  name?: string;
  skript_id?: string;
  worker_id?: string;
  input_id?: string | null;
  inputSecret_id?: string | null;
}

interface ScheduleFormModalProps {
  /** The schedule to change; a new one without it. */
  schedule?: Schedule;
  start?: ScheduleStart;
  onClose: () => void;
}

type Values = Omit<Required<ScheduleBody>, 'input_id' | 'inputSecret_id' | 'retries' | 'retry_delay_ms'> & {
  /** Undefined for the skript's default input. */
  input_id: string | null | undefined;
  inputSecret_id: string | null | undefined;
  retries: number | '';
  retry_delay_ms: number | '';
};

/** Labels of the fields that the API may refuse. */
const LABELS = {
  name: 'Name',
  skript_id: 'Skript',
  cron_span: SPAN_LABELS.cron_span,
  retries: 'Retries after an error',
  retry_delay_ms: 'Delay between attempts (ms)',
  job_name: 'Job',
};

const valuesOf = (schedule: Schedule | undefined, start: ScheduleStart): Values => ({
  name: schedule?.name ?? start.name ?? '',
  cron_span: schedule?.cron_span ?? '',
  time_zone: schedule?.time_zone ?? OWN_TIME_ZONE,
  job_name: schedule?.job_name ?? '',
  worker_id: schedule?.worker_id ?? start.worker_id ?? 'any',
  skript_id: schedule?.skript_id ?? start.skript_id ?? '',
  input_id: schedule ? schedule.input_id : start.input_id,
  inputSecret_id: schedule ? schedule.inputSecret_id : start.inputSecret_id,
  overlap: schedule?.overlap ?? 'skip',
  catch_up: schedule?.catch_up ?? 'skip',
  retries: schedule?.retries ?? '',
  retry_delay_ms: schedule?.retry_delay_ms ?? '',
  enabled: schedule?.enabled ?? true,
});

const choices = <T extends string>(values: readonly T[], labels: Record<T, string>) =>
  values.map(value => ({ value, label: labels[value] }));

/** The form of a new schedule, or of one to change. */
export function ScheduleFormModal({ schedule, start = {}, onClose }: ScheduleFormModalProps) {
  const save = useSaveSchedule();
  const form = useForm<Values>({
    initialValues: valuesOf(schedule, start),
    validate: {
      name: value => (value.trim() === '' ? 'Give the schedule a name' : null),
      skript_id: value => (value === '' ? 'Choose the skript to run' : null),
      cron_span: value => (value.trim() === '' ? 'Say when it runs, or choose a common time above' : null),
    },
  });
  const { values } = form;
  const inputs = useInputs(values.skript_id);
  const secrets = useInputSecrets(values.skript_id);
  const inputId = values.input_id === undefined ? defaultInputId(inputs.data?.items, DEFAULT_INPUT) : values.input_id;
  const secretId =
    values.inputSecret_id === undefined
      ? defaultInputId(secrets.data?.items, DEFAULT_INPUT_SECRET)
      : values.inputSecret_id;

  const submit = form.onSubmit(({ retries, retry_delay_ms: delay, ...fields }) =>
    save.mutate(
      {
        ...fields,
        id: schedule?.id,
        name: fields.name.trim(),
        cron_span: fields.cron_span.trim(),
        input_id: inputId,
        inputSecret_id: secretId,
        retries: retries === '' ? null : retries,
        retry_delay_ms: delay === '' ? null : delay,
      },
      {
        onSuccess: ({ name }) => {
          notifySuccess(schedule ? `${name} is changed.` : `${name} is scheduled.`);
          onClose();
        },
        onError: error => form.setErrors(fieldMessages(error, LABELS)),
      },
    ),
  );

  return (
    <FormModal
      isDirty={form.isDirty() && !save.isSuccess}
      kept={{ of: schedule?.id, input: form.values, restore: form.setValues }}
      onClose={onClose}
      title={schedule ? `Change ${schedule.name}` : 'New schedule'}
      size="xl"
    >
      {close => (
        <form onSubmit={submit} noValidate>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
            <TextInput label="Name" required data-autofocus autoComplete="off" {...form.getInputProps('name')} />
            <SkriptSelect
              label="Skript"
              placeholder="Choose a skript"
              value={values.skript_id || null}
              onChange={id => form.setValues({ skript_id: id ?? '', input_id: undefined, inputSecret_id: undefined })}
              error={form.errors.skript_id as string | undefined}
            />
          </SimpleGrid>
          <SpanField
            span={values.cron_span}
            timeZone={values.time_zone}
            onSpan={span => form.setFieldValue('cron_span', span)}
            onTimeZone={zone => form.setFieldValue('time_zone', zone)}
            error={form.errors.cron_span as string | undefined}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" mt="md">
            <WorkerSelect value={values.worker_id} onChange={id => form.setFieldValue('worker_id', id)} />
            <SavedValueSelect
              label="Input"
              saved={inputs}
              value={inputId}
              onChange={id => form.setFieldValue('input_id', id)}
            />
            <SavedValueSelect
              label="Input secret"
              saved={secrets}
              value={secretId}
              onChange={id => form.setFieldValue('inputSecret_id', id)}
            />
          </SimpleGrid>
          <details className="form-more" open={schedule !== undefined}>
            <summary>Overlaps, missed runs and retries</summary>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mt="sm">
              <Select
                label="If the earlier run is still in progress"
                allowDeselect={false}
                data={choices(OVERLAPS, OVERLAP_LABELS)}
                {...form.getInputProps('overlap')}
              />
              <Select
                label="After an interruption of Trawl"
                allowDeselect={false}
                data={choices(CATCH_UPS, CATCH_UP_LABELS)}
                {...form.getInputProps('catch_up')}
              />
              <NumberInput
                label="Retries after an error"
                placeholder="as in the skript"
                min={LIMITS.retries.min}
                max={LIMITS.retries.max}
                allowDecimal={false}
                {...form.getInputProps('retries')}
              />
              <NumberInput
                label="Delay between attempts (ms)"
                placeholder="as in the skript"
                min={LIMITS.retryDelayMs.min}
                max={LIMITS.retryDelayMs.max}
                step={1000}
                thousandSeparator=","
                allowDecimal={false}
                {...form.getInputProps('retry_delay_ms')}
              />
              <TextInput
                label="Job"
                description="A label that several schedules can share"
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                autoComplete="off"
                {...form.getInputProps('job_name')}
              />
            </SimpleGrid>
          </details>
          <ModalActions
            request={save}
            failure={schedule ? 'The schedule was not changed' : 'The schedule was not created'}
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            {schedule ? 'Save' : 'Create schedule'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
