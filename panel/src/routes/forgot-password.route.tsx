import { EntryPage } from '../components/entry-page.js';
import { forgotPassword } from '../features/passwords/api/forgot-password.js';
import { ForgotPasswordForm } from '../features/passwords/components/forgot-password-form.js';

export function ForgotPasswordRoute() {
  return (
    <EntryPage title="Forgotten password">
      <ForgotPasswordForm forgotPassword={forgotPassword} />
    </EntryPage>
  );
}
