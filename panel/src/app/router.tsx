import { Suspense } from 'react';
import { createBrowserRouter, Navigate, Outlet } from 'react-router';
import { lazyScreen } from '../components/lazy-screen.js';
import { ForgotPasswordRoute } from '../routes/public/forgot-password.route.js';
import { LoginRoute } from '../routes/public/login.route.js';
import { SetPasswordRoute } from '../routes/public/set-password.route.js';
import { AddRole, AutoLogin, GuardedRoute } from '../session/guards.js';
import { useIsAdmin } from '../session/use-is-admin.js';
import { NotFound } from './not-found.js';
import { RouteFailure } from './route-failure.js';
import { SECTIONS, type Section } from './sections.js';

const Shell = lazyScreen(() => import('./shell.js'));

function ForAdmins() {
  return useIsAdmin() ? <Outlet /> : <NotFound />;
}

const routesOf = (sections: Section[]) =>
  sections.flatMap(section =>
    section.routes.map(({ path, Component }) => ({
      path: path === '' ? section.slug : `${section.slug}/${path}`,
      Component,
      errorElement: <RouteFailure />,
    })),
  );

const sectionRoutes = [
  ...routesOf(SECTIONS.filter(({ forAdmins }) => !forAdmins)),
  { Component: ForAdmins, children: routesOf(SECTIONS.filter(({ forAdmins }) => forAdmins)) },
];

export const router = createBrowserRouter(
  [
    {
      errorElement: <RouteFailure inset />,
      element: <Outlet />,
      children: [
        {
          index: true,
          element: (
            <AutoLogin>
              <Navigate to="/login" replace />
            </AutoLogin>
          ),
        },
        { path: 'login', Component: LoginRoute },
        { path: 'forgot-password', Component: ForgotPasswordRoute },
        { path: 'set-password', Component: SetPasswordRoute },
        ...SECTIONS.map(({ slug }) => ({ path: `${slug}/*`, Component: AddRole })),
        {
          path: ':role',
          element: (
            <GuardedRoute>
              <Suspense>
                <Shell />
              </Suspense>
            </GuardedRoute>
          ),
          children: [
            { index: true, element: <Navigate to="dashboard" replace /> },
            ...sectionRoutes,
            { path: '*', Component: NotFound },
          ],
        },
      ],
    },
  ],
  { basename: '/panel' },
);
