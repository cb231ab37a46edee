import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { LIMITS } from '@trawl/contracts';
import { fieldErrors } from '../../../api/api-error.js';
import { api, unwrap } from '../../../api/client.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useUnsavedWork } from '../../../components/unsaved/unsaved-work.js';
import { expectSessionEnd } from '../../../session/session-end.js';
import { useSignInAgain } from './use-sign-in-again.js';

const { min, max } = LIMITS.passwordChars;

const CHANGED = 'Your password is changed. Sign in with the new one.';

/** Changes the password. The server then ends all sessions, so the user has to sign in again. */
export function PasswordForm() {
  const signInAgain = useSignInAgain();
  const change = useChange({
    send: (body: { current_password: string; new_password: string }) =>
      expectSessionEnd(() => unwrap(api.PUT('/joint-api/account/password', { body }))),
    reload: [],
  });
  const form = useForm({
    initialValues: { current_password: '', new_password: '', repeated: '' },
    validate: {
      current_password: text => (text === '' ? 'Enter your current password' : null),
      new_password: text =>
        text.length < min || text.length > max ? `Choose a password of ${min} to ${max} characters` : null,
      repeated: (text, { new_password: chosen }) => (text === chosen ? null : 'This is not the same password'),
    },
  });
  useUnsavedWork(form.isDirty() && !change.isSuccess);
  const submit = form.onSubmit(({ current_password, new_password }) =>
    change.mutate(
      { current_password, new_password },
      { onSuccess: () => void signInAgain(CHANGED), onError: error => form.setErrors(fieldErrors(error)) },
    ),
  );
  const hasFieldError = Object.keys(form.errors).length > 0;
  return (
    <section className="card account-card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form onSubmit={submit}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          {...form.getInputProps('current_password')}
          error={
            form.errors.current_password ??
            (change.isError && !hasFieldError ? <MessageText of={change.error} /> : undefined)
          }
        />
        <PasswordInput
          mt="sm"
          label="New password"
          description={`${min} characters or more.`}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        <PasswordInput
          mt="sm"
          label="New password again"
          autoComplete="new-password"
          {...form.getInputProps('repeated')}
        />
        <Text size="xs" c="dimmed" my="sm">
          All your sessions end, this one too. API keys continue to work.
        </Text>
        <FocusableButton type="submit" loading={change.isPending}>
          Change password
        </FocusableButton>
      </form>
    </section>
  );
}
