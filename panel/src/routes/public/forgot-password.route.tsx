import { PublicPage } from '../../components/page/public-page.js';
import { forgotPassword } from '../../features/passwords/api/forgot-password.js';
import { ForgotPasswordForm } from '../../features/passwords/components/forgot-password-form.js';

export function ForgotPasswordRoute() {
  return (
    <PublicPage title="Forgotten password">
      <ForgotPasswordForm forgotPassword={forgotPassword} />
    </PublicPage>
  );
}
