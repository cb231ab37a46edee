import '../../styles/notices.css';
import { Modal, Skeleton } from '@mantine/core';
import type { NoticeSubject, PanelSection } from '@trawl/contracts';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import type { Notice } from '../../api/entities.js';
import { EmptyState, ErrorState } from '../../components/feedback/states.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { useNotices, useReadNotices } from './notices.js';

const HEIGHT_PX = 220;

/** The screen of the thing that a notice is about, without the role. */
const PLACES: Record<NoticeSubject, (id: string) => `${PanelSection | 'account'}${string}`> = {
  issue: id => `skript-executions/${id}`,
  rows: id => `skript-executions/${id}`,
  schedule: id => `scheduler/${id}`,
  worker: () => 'workers',
  export: () => 'exporters',
  import: id => `exporters/imports/${id}`,
  quota: () => 'account',
  webhook: () => 'account?tab=notifications',
};

function NoticeList({ items, onClose }: { items: Notice[]; onClose: () => void }) {
  const { role = '' } = useParams();
  return (
    <ul className="notices">
      {items.map(({ id, text, subject, read, created_at: at }) => (
        <li key={id} data-unread={!read || undefined}>
          <Link to={`/${role}/${PLACES[subject.kind](subject.id ?? '')}`} onClick={onClose}>
            {inReadingOrder(text)}
          </Link>
          {!read && <span className="visually-hidden">new</span>}
          <RelativeTime iso={at} />
        </li>
      ))}
    </ul>
  );
}

/** The latest notices. Opening the list marks them as read. */
export default function NoticesModal({ onClose }: { onClose: () => void }) {
  const query = useNotices();
  const { mutate: markRead } = useReadNotices();
  // The newest one: others may arrive while the list is open.
  const unreadId = query.data?.items.find(({ read }) => !read)?.id;
  useEffect(() => {
    if (unreadId) markRead();
  }, [unreadId, markRead]);
  return (
    <Modal opened onClose={onClose} title="Notifications" closeButtonProps={{ 'aria-label': 'Close' }}>
      {query.data ? (
        query.data.items.length === 0 ? (
          <EmptyState title="No notifications">
            New issues, problems of schedules, finished exports and imports, and quotas that are nearly used up appear
            here.
          </EmptyState>
        ) : (
          <NoticeList items={query.data.items} onClose={onClose} />
        )
      ) : query.isError ? (
        <ErrorState what="The notifications could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={HEIGHT_PX} />
      )}
    </Modal>
  );
}
