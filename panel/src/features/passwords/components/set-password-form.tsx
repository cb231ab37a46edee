import { Alert, PasswordInput, TextInput, Title } from '@mantine/core';
import { LIMITS } from '@trawl/contracts';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../../../api/api-error.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import type { NewPassword } from '../api/set-password.js';
import { Outcome } from './outcome.js';

const { min, max } = LIMITS.passwordChars;

interface SetPasswordFormProps {
  /** Token of the link; null if the URL has none. */
  token: string | null;
  /** Resolves with the account's user name. Must be the same function in every render. */
  readLink: (token: string) => Promise<string>;
  /** Resolves with the message for the visitor. */
  setPassword: (newPassword: NewPassword) => Promise<string>;
  /** Called after the password was set. The link is no longer valid, and all sessions of the account have ended. */
  onDone: () => void;
}

type State = { at: 'form'; failure?: string } | { at: 'done'; message: string } | { at: 'unusable' };

const isUnusable = (error: unknown): boolean => error instanceof ApiError && error.code === 'link_not_usable';

export function SetPasswordForm({ token, readLink, setPassword, onDone }: SetPasswordFormProps) {
  const [state, setState] = useState<State>({ at: 'form' });
  const [wrong, setWrong] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [username, setUsername] = useState('');

  useEffect(() => {
    if (token === null) return;
    // Only an unusable link matters here. Ignore other errors, because the form also works without the user name.
    readLink(token).then(setUsername, error => isUnusable(error) && setState({ at: 'unusable' }));
  }, [token, readLink]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem('password') as HTMLInputElement;
    const password = field.value;
    const problem = problemOf(password);
    setWrong(problem);
    if (problem !== null || token === null) {
      field.focus();
      return;
    }
    setState({ at: 'form' });
    setBusy(true);
    try {
      const message = await setPassword({ token, password });
      setState({ at: 'done', message });
      onDone();
    } catch (error) {
      setState(isUnusable(error) ? { at: 'unusable' } : { at: 'form', failure: messageOf(error) });
    }
    setBusy(false);
  };

  if (state.at === 'done') {
    return (
      <Outcome title="You can sign in now" action={{ text: 'Sign in', to: '/login' }}>
        {state.message}
      </Outcome>
    );
  }
  if (state.at === 'unusable' || token === null) {
    return (
      <Outcome title="This link no longer works" action={{ text: 'Request a new link', to: '/forgot-password' }}>
        Each link works once, and expires at the time that the e-mail names.
      </Outcome>
    );
  }
  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <Title order={1} size="h2">
        Set your password
      </Title>
      <p className="login-text">The new password applies at once and ends all other sessions of the account.</p>
      {state.failure && (
        <Alert role="alert" color="red" variant="light" p="xs" mb="md">
          <MessageText of={state.failure} />
        </Alert>
      )}
      {/* For password managers, which would keep the password without a name. */}
      <TextInput
        label="Account"
        withAsterisk={false}
        name="username"
        autoComplete="username"
        value={username}
        readOnly
        variant="filled"
        mb="md"
      />
      <PasswordInput
        label="New password"
        description={`At least ${min} characters. A few words are easier to remember than symbols.`}
        withAsterisk={false}
        name="password"
        autoComplete="new-password"
        required
        autoFocus
        error={wrong}
        onChange={() => setWrong(null)}
        mb="xl"
      />
      <FocusableButton type="submit" fullWidth size="md" loading={isBusy}>
        Set password
      </FocusableButton>
    </form>
  );
}

function problemOf(password: string): string | null {
  if (password.length < min) return `Use at least ${min} characters; you entered ${password.length}.`;
  if (password.length > max) return `Use at most ${max} characters; you entered ${password.length}.`;
  return password.trim() === '' ? 'Use more than spaces.' : null;
}
