import { Alert, PasswordInput, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { GUARD_MESSAGE_MS } from '../../../session/guard-rules.js';
import type { LoginNotice } from '../../../session/guards.js';
import type { Session } from '../../../session/session-cookies.js';
import type { Credentials, SignInResult } from '../api/sign-in.js';

interface SignInFormProps {
  /** Message that says why the user was sent to this page; null if the user came on their own. */
  notice: LoginNotice | null;
  /** Path of the user's dashboard; null if the user is not signed in. */
  ownDashboard: string | null;
  onNoticeFaded: () => void;
  signIn: (credentials: Credentials) => Promise<SignInResult>;
  onSignedIn: (session: Session) => void;
}

export function SignInForm({ notice, ownDashboard, onNoticeFaded, signIn, onSignedIn }: SignInFormProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const message = failure ?? notice?.message ?? null;

  useEffect(() => {
    if (!notice?.fades) return;
    const timer = setTimeout(onNoticeFaded, GUARD_MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [notice, onNoticeFaded]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setFailure(null);
    setBusy(true);
    const result = await signIn({
      username: String(form.get('username') ?? '').trim(),
      password: String(form.get('password') ?? ''),
    });
    setBusy(false);
    if ('session' in result) onSignedIn(result.session);
    else setFailure(result.failure);
  };

  return (
    <form method="post" onSubmit={event => void submit(event)}>
      <Title order={1} size="h2">
        Sign in to the panel
      </Title>
      <div className="login-message">
        {message ? (
          <Alert role="alert" color="red" variant="light" p="xs">
            <MessageText of={message} />
            {ownDashboard && (
              <>
                {'. '}
                <Link to={ownDashboard}>Open your dashboard</Link>
              </>
            )}
          </Alert>
        ) : (
          <p>Write and run your skripts, and read what they stored.</p>
        )}
      </div>
      <TextInput
        label="Username or e-mail"
        withAsterisk={false}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        autoFocus
        mb="md"
      />
      <PasswordInput
        label="Password"
        withAsterisk={false}
        name="password"
        autoComplete="current-password"
        required
        mb="xl"
      />
      <FocusableButton type="submit" fullWidth size="md" loading={isBusy}>
        Sign in
      </FocusableButton>
      <p className="login-aside">
        <Link to="/forgot-password">Forgot your password?</Link>
        <a href="/sign-up">Sign up for an account</a>
      </p>
    </form>
  );
}
