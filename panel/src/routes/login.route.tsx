import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { EntryPage } from '../components/entry-page.js';
import { signIn } from '../features/sign-in/api/sign-in.js';
import { SignInForm } from '../features/sign-in/components/sign-in-form.js';
import { dashboardOf } from '../session/guard-rules.js';
import { AutoLogin, type LoginNotice } from '../session/guards.js';
import { type Session, storeSession } from '../session/session-cookies.js';

export function LoginRoute() {
  const navigate = useNavigate();
  const notice = (useLocation().state as LoginNotice | null) ?? null;
  const forgetNotice = useCallback(() => void navigate('.', { replace: true, state: null }), [navigate]);
  const enter = (session: Session) => {
    storeSession(session);
    void navigate(dashboardOf(session.role), { replace: true });
  };
  const page = (
    <EntryPage title="Sign in">
      <SignInForm notice={notice} onNoticeFaded={forgetNotice} signIn={signIn} onSignedIn={enter} />
    </EntryPage>
  );
  // A message is read before the way goes on to one's own dashboard.
  return notice ? page : <AutoLogin>{page}</AutoLogin>;
}
