import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { EntryPage } from '../components/entry-page.js';
import { readLink } from '../features/passwords/api/read-link.js';
import { setPassword } from '../features/passwords/api/set-password.js';
import { SetPasswordForm } from '../features/passwords/components/set-password-form.js';
import { clearCookies } from '../session/session-cookies.js';

/**
 * Where the links of e-mails lead. The token leaves the address at once, so that no bookmark, no history and no picture
 * of the screen has it; a reload finds it in the state of the history's entry, until it is used.
 */
export function SetPasswordRoute() {
  const navigate = useNavigate();
  const { search, state } = useLocation();
  const inAddress = new URLSearchParams(search).get('token');
  const token = inAddress ?? (state as { token?: string } | null)?.token ?? null;

  useEffect(() => {
    if (inAddress !== null) void navigate('.', { replace: true, state: { token: inAddress } });
  }, [inAddress, navigate]);

  const forget = () => {
    // A session of the same account is over; one of another account would hide the sign-in page.
    clearCookies();
    void navigate('.', { replace: true, state: null });
  };
  return (
    <EntryPage title="Set your password">
      <SetPasswordForm token={token} readLink={readLink} setPassword={setPassword} onDone={forget} />
    </EntryPage>
  );
}
