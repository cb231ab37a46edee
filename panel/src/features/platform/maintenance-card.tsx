import { Alert, Group, Skeleton, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api, unwrap } from '../../api/client.js';
import { QUERY_KEYS } from '../../api/query-keys.js';
import { useAccount } from '../../api/requests/get-account.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { MessageText } from '../../components/feedback/message-text.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useChange } from '../../components/feedback/use-change.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { useKeptForm } from '../../components/unsaved/use-kept-form.js';
import { TimeText } from '../../components/values/time-text.js';

interface Maintenance {
  message: string;
  until: string | null;
  started_at: string;
}

/** `2026-11-22T06:00` in the user's time zone, for a date field. */
function localTime(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function MaintenanceForm({ current }: { current: Maintenance | null }) {
  const start = useChange({
    send: (body: { message: string; until: string | null }) => unwrap(api.PUT('/joint-api/maintenance', { body })),
    reload: [QUERY_KEYS.account],
    done: () => (current ? 'The maintenance is changed.' : 'The platform is in maintenance.'),
  });
  const end = useChange({
    send: () => unwrap(api.DELETE('/joint-api/maintenance')),
    reload: [QUERY_KEYS.account],
    done: () => 'The maintenance is over. Waiting runs start.',
    failed: 'The maintenance could not be ended',
  });
  const form = useForm({
    initialValues: { message: current?.message ?? '', until: localTime(current?.until ?? null) },
    validate: { message: text => (text.trim() === '' ? 'Enter what your users should know' : null) },
  });
  useKeptForm({ name: 'maintenance', input: form.isDirty() ? form.values : null, restore: form.setValues });
  const save = (message: string, until: string) =>
    start.mutate(
      { message: message.trim(), until: until === '' ? null : new Date(until).toISOString() },
      { onSuccess: () => form.resetDirty() },
    );
  const submit = form.onSubmit(({ message, until }) => {
    if (current) return save(message, until);
    confirmDelete({
      title: 'Start the maintenance?',
      children: 'Schedules do not fire, and new runs of all accounts wait. Runs that a worker has continue.',
      confirmLabel: 'Start maintenance',
      onConfirm: () => save(message, until),
    });
  });
  return (
    <form onSubmit={submit}>
      {current && (
        <Alert color="yellow" variant="light" mb="md" title="The platform is in maintenance">
          Since <TimeText iso={current.started_at} zone />
          {current.until ? (
            <>
              , until <TimeText iso={current.until} zone />.
            </>
          ) : (
            '. It lasts until you end it.'
          )}
        </Alert>
      )}
      <Textarea
        label="Message"
        description="Every user sees it at the top of each page of the panel."
        placeholder="We move to a larger server. Runs that you start now begin at 06:00."
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('message')}
      />
      <TextInput
        mt="sm"
        type="datetime-local"
        label="Ends automatically at"
        description="Leave blank to end it yourself."
        {...form.getInputProps('until')}
      />
      {start.isError && (
        <Alert role="alert" color="red" variant="light" mt="md" title="The maintenance was not saved">
          <MessageText of={start.error} />
        </Alert>
      )}
      <Group mt="md" gap="xs">
        <FocusableButton type="submit" loading={start.isPending} disabled={current !== null && !form.isDirty()}>
          {current ? 'Save' : 'Start maintenance'}
        </FocusableButton>
        {current && (
          <FocusableButton variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End maintenance
          </FocusableButton>
        )}
      </Group>
    </form>
  );
}

/** Starts and ends the maintenance of the platform. */
export function MaintenanceCard() {
  const query = useAccount();
  const current = query.data?.maintenance;
  return (
    <section className="card account-card" aria-labelledby="maintenance">
      <h2 id="maintenance">Maintenance</h2>
      {query.isError && !query.data ? (
        <ErrorState what="The maintenance could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : current === undefined ? (
        <Skeleton height={180} />
      ) : (
        <MaintenanceForm key={current?.started_at ?? 'none'} current={current} />
      )}
    </section>
  );
}
