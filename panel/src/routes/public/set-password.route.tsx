import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { PublicPage } from '../../components/page/public-page.js';
import { readLink } from '../../features/passwords/api/read-link.js';
import { setPassword } from '../../features/passwords/api/set-password.js';
import { SetPasswordForm } from '../../features/passwords/components/set-password-form.js';
import { clearCookies } from '../../session/session-cookies.js';

/**
 * Page that the password links in e-mails open. It removes the token from the URL at once, so that the token does not
 * end up in bookmarks, history or screenshots. For reloads, the token is kept in the history state until it is used.
 */
export function SetPasswordRoute() {
  const navigate = useNavigate();
  const { hash, state } = useLocation();
  const inAddress = new URLSearchParams(hash.slice(1)).get('token');
  const token = inAddress ?? (state as { token?: string } | null)?.token ?? null;

  useEffect(() => {
    if (inAddress !== null) void navigate('.', { replace: true, state: { token: inAddress } });
  }, [inAddress, navigate]);

  const forget = () => {
    // Sign out here. This account's sessions have ended, and with any other session the sign-in page would not open.
    clearCookies();
    void navigate('.', { replace: true, state: null });
  };
  return (
    <PublicPage title="Set your password">
      <SetPasswordForm token={token} readLink={readLink} setPassword={setPassword} onDone={forget} />
    </PublicPage>
  );
}
