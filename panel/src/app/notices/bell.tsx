import { IconBell } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { useAccount } from '../../api/requests/get-account.js';
import { lazyScreen } from '../../components/lazy-screen.js';

const NoticesModal = lazyScreen(() => import('./notices-modal.js'));

/** From this number on, the exact one would be too wide. */
const MANY = 100;

/** Shows how many notices the user has not read, and opens their list. The live connection tells of new ones. */
export function Bell() {
  const unread = useAccount().data?.unread_notices ?? 0;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="shell-bell"
        aria-label={unread > 0 ? `Notifications, ${unread} unread` : 'Notifications'}
        onClick={() => setOpen(true)}
      >
        <IconBell size={18} aria-hidden />
        {unread > 0 && <span aria-hidden="true">{unread < MANY ? unread : `${MANY - 1}+`}</span>}
      </button>
      {isOpen && (
        <Suspense>
          <NoticesModal onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
