import { Alert, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../../../api/api-error.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { Outcome } from './outcome.js';

interface ForgotPasswordFormProps {
  /** Resolves with the message for the visitor. */
  forgotPassword: (email: string) => Promise<string>;
}

export function ForgotPasswordForm({ forgotPassword }: ForgotPasswordFormProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setFailure(null);
    setBusy(true);
    try {
      setAnswer(await forgotPassword(String(form.get('email') ?? '').trim()));
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };

  if (answer !== null) {
    return (
      <Outcome title="Check your mailbox" action={{ text: 'Back to sign in', to: '/login' }}>
        {answer} If no e-mail arrives within a few minutes, check your spam folder.
      </Outcome>
    );
  }
  return (
    <form method="post" onSubmit={event => void submit(event)}>
      <Title order={1} size="h2">
        Forgot your password?
      </Title>
      <p className="login-text">Enter the e-mail address of your account to get a link to set a new password.</p>
      {failure && (
        <Alert role="alert" color="red" variant="light" p="xs" mb="md">
          <MessageText of={failure} />
        </Alert>
      )}
      <TextInput
        label="E-mail"
        withAsterisk={false}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        autoFocus
        mb="xl"
      />
      <FocusableButton type="submit" fullWidth size="md" loading={isBusy}>
        Send link
      </FocusableButton>
      <p className="login-aside">
        <Link to="/login">Back to sign in</Link>
      </p>
    </form>
  );
}
