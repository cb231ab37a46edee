import '../styles/mantine/mantine.css';
import '@mantine/notifications/styles.layer.css';
import '../styles/shell.css';
import '../styles/lists/table.css';
import '../styles/lists/phone-cards.css';
import '../styles/lists/dense-rows.css';
import '../styles/lists/details.css';
import '../styles/json/json-tree.css';
import '../styles/runs/console.css';
import '../styles/joint-api.css';
import { AppShell, Burger, Skeleton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { IconSearch } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Mark } from '@trawl/brand/mark';
import { Suspense, useEffect, useState } from 'react';
import { createPath, Link, NavLink, Outlet, useLocation, useNavigate, useParams } from 'react-router';
import { useAccount } from '../api/requests/get-account.js';
import { lazyScreen } from '../components/lazy-screen.js';
import { Mesh } from '../components/page/mesh.js';
import { UnsavedWorkGuard } from '../components/unsaved/unsaved-work-guard.js';
import { closeLiveSocket } from '../live/live-socket.js';
import { useLiveExecutions } from '../live/use-live-executions.js';
import type { LoginNotice, LoginState } from '../session/guards.js';
import { onSessionEnd } from '../session/session-end.js';
import { useIsAdmin } from '../session/use-is-admin.js';
import { AccountFoot } from './account-foot.js';
import { MaintenanceBar } from './bars/maintenance-bar.js';
import { OutageBar } from './bars/outage-bar.js';
import { Bell } from './notices/bell.js';
import { SECTIONS } from './sections.js';
import { useSessionRenewal } from './session-renewal/use-session-renewal.js';

const CommandPalette = lazyScreen(() => import('./palette/command-palette.js'));

const SESSION_ENDED: LoginNotice = { message: 'Your session has ended. Sign in again to continue.', fades: false };

/**
 * Opens the sign-in page when the session ends. Clears the cached data when the shell goes away, also because the cookies
 * are gone, so that the next user of this tab does not see it.
 */
function useSessionEnd(): void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const location = useLocation();
  useEffect(
    () => () => {
      closeLiveSocket();
      queryClient.clear();
    },
    [queryClient],
  );
  useEffect(
    () =>
      onSessionEnd(() => {
        const state: LoginState = { notice: SESSION_ENDED, from: createPath(location) };
        void navigate('/login', { replace: true, state });
      }),
    [navigate, location],
  );
}

function Frame() {
  const [isNavOpen, nav] = useDisclosure(false);
  const { role = '' } = useParams();
  const isAdmin = useIsAdmin();
  const { pathname } = useLocation();
  // Loads the palette when it is first asked for. From then on it listens to Ctrl K itself.
  const [hasPalette, setHasPalette] = useState(false);
  const openPalette = async () => {
    if (hasPalette) (await import('./palette/command-palette.js')).openPalette();
    setHasPalette(true);
  };
  useHotkeys(hasPalette ? [] : [['mod+K', () => setHasPalette(true)]], [], true);
  useHotkeys([['shift+?', async () => (await import('./palette/shortcuts.js')).showShortcuts()]]);
  useLiveExecutions();
  useSessionEnd();
  useSessionRenewal();
  const rows = useAccount().data?.preferences?.rows;
  useEffect(() => {
    document.documentElement.dataset.rows = rows ?? 'compact';
  }, [rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the navigation on phones.
  useEffect(() => nav.close(), [pathname]);
  return (
    <AppShell
      header={{ height: { base: 54, sm: 0 } }}
      navbar={{ width: 236, breakpoint: 'sm', collapsed: { mobile: !isNavOpen } }}
    >
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <AppShell.Header className="shell-header" hiddenFrom="sm">
        <Burger
          opened={isNavOpen}
          onClick={nav.toggle}
          size="sm"
          color="#ffffff"
          aria-label={isNavOpen ? 'Close the navigation' : 'Open the navigation'}
          aria-expanded={isNavOpen}
        />
        <Link className="shell-brand" to={`/${role}/dashboard`}>
          <Mark />
          Trawl
        </Link>
        <Bell />
      </AppShell.Header>
      <AppShell.Navbar className="shell-nav" withBorder={false} aria-label="Sections">
        <Link className="shell-brand" to={`/${role}/dashboard`}>
          <Mark />
          Trawl
        </Link>
        <div className="shell-tools">
          <button type="button" className="shell-search" onClick={() => void openPalette()}>
            <IconSearch size={16} aria-hidden />
            Search
            <kbd>Ctrl K</kbd>
          </button>
          <Bell />
        </div>
        <ul className="shell-links">
          {SECTIONS.filter(({ forAdmins, isHidden }) => !isHidden && (isAdmin || !forAdmins)).map(
            ({ slug, title, Icon }) => (
              <li key={slug}>
                <NavLink className="shell-link" to={`/${role}/${slug}`}>
                  <Icon size={18} stroke={1.7} aria-hidden />
                  {title}
                </NavLink>
              </li>
            ),
          )}
        </ul>
        <div className="shell-net">
          <Mesh />
        </div>
        <AccountFoot />
      </AppShell.Navbar>
      <AppShell.Main className="shell-main" id="content" tabIndex={-1}>
        <OutageBar />
        <MaintenanceBar />
        <UnsavedWorkGuard />
        {hasPalette && (
          <Suspense>
            <CommandPalette />
          </Suspense>
        )}
        <Suspense
          fallback={
            <div className="page" aria-busy="true">
              <Skeleton height={420} radius={10} />
            </div>
          }
        >
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

/** Frame of all signed-in screens. */
export default function Shell() {
  return (
    <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': 'Close' } }}>
      <Notifications position="bottom-right" />
      <Frame />
    </ModalsProvider>
  );
}
