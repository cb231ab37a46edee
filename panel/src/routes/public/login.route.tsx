import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { PublicPage } from '../../components/page/public-page.js';
import { signIn } from '../../features/sign-in/api/sign-in.js';
import { SignInForm } from '../../features/sign-in/components/sign-in-form.js';
import { dashboardPath } from '../../session/guard-rules.js';
import { AutoLogin, type LoginState, pathAfterLogin } from '../../session/guards.js';
import { readSession, type Session, storeSession } from '../../session/session-cookies.js';

export function LoginRoute() {
  const navigate = useNavigate();
  const state = (useLocation().state as LoginState | null) ?? null;
  const notice = state?.notice ?? null;
  const forgetNotice = useCallback(() => {
    const rest: LoginState = { ...state, notice: null };
    void navigate('.', { replace: true, state: rest });
  }, [navigate, state]);
  const enter = (session: Session) => {
    storeSession(session);
    void navigate(pathAfterLogin(state, session.role), { replace: true });
  };
  const session = readSession(document.cookie);
  const page = (
    <PublicPage title="Sign in">
      <SignInForm
        notice={notice}
        ownDashboard={session && dashboardPath(session.role)}
        onNoticeFaded={forgetNotice}
        signIn={signIn}
        onSignedIn={enter}
      />
    </PublicPage>
  );
  // If there is a notice, a signed-in user sees it first. Without one, `AutoLogin` opens their dashboard at once.
  return notice ? page : <AutoLogin>{page}</AutoLogin>;
}
