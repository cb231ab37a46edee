import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAccount } from '../../../api/requests/get-account.js';
import { emailSettingsQuery } from './email-card.js';
import { eventLabel } from './event-choices.js';

/** Events of one skript. The others are of the whole account. */
const OF_SKRIPT = [
  'run.completed',
  'run.failed',
  'run.stopped',
  'rows.broken',
  'rows.fresh',
  'rows.changed',
  'schedule.missed',
  'schedule.problem',
] as const;

/** Says about which events of a skript the user gets e-mails. The choice is the same for all skripts. */
export function EmailLine({ accountHref }: { accountHref: string }) {
  const chosen = useQuery(emailSettingsQuery).data?.email_events;
  const hasAddress = useAccount().data?.has_email !== false;
  if (!chosen) return null;
  const events = OF_SKRIPT.filter(event => chosen.includes(event));
  return (
    <p className="tab-note">
      {!hasAddress
        ? 'You get no e-mails: Trawl has no address for your account.'
        : events.length === 0
          ? 'You get no e-mails about runs and schedules.'
          : `You get e-mails about: ${events.map(event => eventLabel(event).toLowerCase()).join(', ')}.`}{' '}
      <Link className="link" to={`${accountHref}?tab=notifications`}>
        Change
      </Link>
    </p>
  );
}
