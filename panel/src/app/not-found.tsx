import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/feedback/states.js';
import { dashboardPath } from '../session/guard-rules.js';
import { readSession } from '../session/session-cookies.js';

export function NotFound() {
  const session = readSession(document.cookie);
  return (
    <EmptyState
      title="Page not found"
      heading="h1"
      action={
        <Button component={Link} to={session ? dashboardPath(session.role) : '/login'}>
          {session ? 'Go to the dashboard' : 'Go to sign in'}
        </Button>
      }
    >
      Check the address for mistakes. The page may also have been deleted.
    </EmptyState>
  );
}
