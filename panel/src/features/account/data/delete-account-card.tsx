import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { fieldErrors } from '../../../api/api-error.js';
import { api, unwrap } from '../../../api/client.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { expectSessionEnd } from '../../../session/session-end.js';
import { useSignInAgain } from '../security/use-sign-in-again.js';

function DeleteAccountModal({ username, onClose }: { username: string; onClose: () => void }) {
  const signInAgain = useSignInAgain();
  const closing = useChange({
    send: (body: { username: string; password: string }) =>
      expectSessionEnd(() => unwrap(api.POST('/joint-api/account/delete', { body }))),
    reload: [],
  });
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: {
      username: text => (text.trim() === username ? null : `Type ${username}`),
      password: text => (text === '' ? 'Enter your password' : null),
    },
  });
  // Errors of a field are beside it.
  const isAtField = Object.keys(fieldErrors(closing.error)).length > 0;
  const submit = form.onSubmit(body =>
    closing.mutate(body, {
      onSuccess: () => void signInAgain('Your account is closed. Trawl is deleting its data.'),
      onError: error => form.setErrors(fieldErrors(error)),
    }),
  );
  return (
    <FormModal
      isDirty={form.isDirty() && !closing.isSuccess}
      onClose={onClose}
      size="md"
      title="Delete your account?"
      closeButtonProps={{ 'aria-label': 'Close without deleting' }}
    >
      {close => (
        <form onSubmit={submit} autoComplete="off">
          <p className="tab-note">
            Your runs end, your sessions and API keys stop working, and Trawl deletes your skripts, runs, schedules and
            databases. You cannot undo this.
          </p>
          <TextInput
            mt="md"
            label={`Type ${username} to confirm`}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('username')}
          />
          <PasswordInput
            mt="sm"
            label="Password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
            {...form.getInputProps('password')}
          />
          <ModalActions
            request={{ error: isAtField ? null : closing.error, isPending: closing.isPending }}
            failure="Your account was not deleted"
            onCancel={close}
            type="submit"
            className="danger-button"
          >
            Delete account
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}

/** Deletes the signed-in account. */
export function DeleteAccountCard({ username }: { username: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section className="card account-card" aria-labelledby="delete-account">
      <h2 id="delete-account">Delete your account</h2>
      <p className="tab-note">Download your data first: afterwards nobody can restore it.</p>
      <Button variant="default" color="red" onClick={() => setAsking(true)}>
        Delete account…
      </Button>
      {isAsking && <DeleteAccountModal username={username} onClose={() => setAsking(false)} />}
    </section>
  );
}
