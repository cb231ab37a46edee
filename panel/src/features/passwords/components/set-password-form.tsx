import { Alert, PasswordInput, TextInput, Title } from '@mantine/core';
import { LIMITS } from '@trawl/contracts';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../../../api/api-error.js';
import { SteadyButton } from '../../../components/steady-button.js';
import type { NewPassword } from '../api/set-password.js';
import { Outcome } from './outcome.js';

const { min, max } = LIMITS.passwordChars;

interface SetPasswordFormProps {
  /** Of the link; null when the address has none. */
  token: string | null;
  /** Answers the account's user name. Must stay the same function. */
  readLink: (token: string) => Promise<string>;
  /** Answers what to tell the visitor. */
  setPassword: (newPassword: NewPassword) => Promise<string>;
  /** The link is used up, and the account's sessions are over. */
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
    // What else goes wrong shows when the password is sent; nobody needs the name to set it.
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
      <Outcome title="This link does not work any more" action={{ text: 'Ask for a new link', to: '/forgot-password' }}>
        Each link works once, and for a limited time: a day after signing up, an hour for a forgotten password.
      </Outcome>
    );
  }
  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <Title order={1} size="h2">
        Set your password
      </Title>
      <p className="login-text">It is set at once, and ends every other session of the account.</p>
      {state.failure && (
        <Alert role="alert" color="red" variant="light" p="xs" mb="md">
          {state.failure}
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
      <SteadyButton type="submit" fullWidth size="md" loading={isBusy}>
        Set the password
      </SteadyButton>
    </form>
  );
}

function problemOf(password: string): string | null {
  if (password.length < min) return `Use at least ${min} characters; these are ${password.length}.`;
  if (password.length > max) return `Use at most ${max} characters; these are ${password.length}.`;
  return password.trim() === '' ? 'Use more than blanks.' : null;
}
