import '../../styles/account.css';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Page } from '../../components/page/page.js';
import { NewUserModal } from '../../features/users/components/new-user-modal.js';
import { UsersTable } from '../../features/users/components/users-table.js';

export default function UsersRoute() {
  const [isNew, setNew] = useState(false);
  return (
    <Page
      title="Users"
      description="All accounts with their roles and quotas."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
          New user
        </Button>
      }
    >
      <UsersTable onNew={() => setNew(true)} />
      {isNew && <NewUserModal onClose={() => setNew(false)} />}
    </Page>
  );
}
