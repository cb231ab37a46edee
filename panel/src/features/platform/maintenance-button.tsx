import { Button, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.js';
import { QUERY_KEYS } from '../../api/query-keys.js';
import { useAccount } from '../../api/requests/get-account.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { useChange } from '../../components/feedback/use-change.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { FormModal } from '../../components/unsaved/form-modal.js';

interface Maintenance {
  message: string;
  until: string | null;
}

/** `2026-11-22T06:00` in the user's time zone, for a date field. */
function localTime(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function MaintenanceModal({ current, onClose }: { current: Maintenance | null; onClose: () => void }) {
  const save = useChange({
    send: (body: Maintenance) => unwrap(api.PUT('/joint-api/maintenance', { body })),
    reload: [QUERY_KEYS.account],
    done: () => (current ? 'The maintenance is changed.' : 'The platform is in maintenance.'),
  });
  const form = useForm({
    initialValues: { message: current?.message ?? '', until: localTime(current?.until ?? null) },
    validate: { message: text => (text.trim() === '' ? 'Enter what your users should know' : null) },
  });
  const submit = form.onSubmit(({ message, until }) =>
    save.mutate(
      { message: message.trim(), until: until === '' ? null : new Date(until).toISOString() },
      { onSuccess: onClose },
    ),
  );
  return (
    <FormModal
      title={current ? 'Change the maintenance' : 'Start the maintenance?'}
      isDirty={form.isDirty()}
      onClose={onClose}
      kept={{ input: form.values, restore: form.setValues }}
    >
      {close => (
        <form onSubmit={submit}>
          <Text size="sm" mb="md">
            Schedules do not fire, and new runs of all accounts wait. Runs that a worker has continue.
          </Text>
          <Textarea
            label="Message"
            description="Every user sees it at the top of each page of the panel."
            placeholder="We move to a larger server. Runs that you start now begin at 06:00."
            autosize
            minRows={2}
            maxLength={500}
            data-autofocus
            {...form.getInputProps('message')}
          />
          <TextInput
            mt="sm"
            type="datetime-local"
            label="Ends automatically at"
            description="Leave blank to end it yourself."
            {...form.getInputProps('until')}
          />
          <ModalActions request={save} failure="The maintenance was not saved" onCancel={close} type="submit">
            {current ? 'Save' : 'Start maintenance'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}

/** Starts, changes and ends the maintenance of the platform. */
export function MaintenanceButton() {
  const query = useAccount();
  const [isOpen, setOpen] = useState(false);
  const end = useChange({
    send: () => unwrap(api.DELETE('/joint-api/maintenance')),
    reload: [QUERY_KEYS.account],
    done: () => 'The maintenance is over. Waiting runs start.',
    failed: 'The maintenance could not be ended',
  });
  if (!query.data) return null;
  const current = query.data.maintenance;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {current ? 'Change maintenance…' : 'Start maintenance…'}
      </Button>
      {current && (
        <FocusableButton loading={end.isPending} onClick={() => end.mutate()}>
          End maintenance
        </FocusableButton>
      )}
      {isOpen && <MaintenanceModal current={current} onClose={() => setOpen(false)} />}
    </>
  );
}
