import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/states.js';
import { dashboardOf } from '../session/guard-rules.js';
import { readSession } from '../session/session-cookies.js';

export function NotFound() {
  const session = readSession(document.cookie);
  return (
    <EmptyState
      title="There is no such page in the panel"
      action={
        <Button component={Link} to={session ? dashboardOf(session.role) : '/login'}>
          {session ? 'Go to the dashboard' : 'Go to sign in'}
        </Button>
      }
    >
      The address may be mistyped, or what it named has been deleted.
    </EmptyState>
  );
}
