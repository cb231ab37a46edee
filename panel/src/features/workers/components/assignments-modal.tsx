import { Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import { Loading } from '../../../components/feedback/loading.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { UserSelect } from '../../../components/selects/user-select.js';
import { TimeText } from '../../../components/values/time-text.js';
import { type Assignable, useAssign, useAssignments, useUnassign } from '../api/assignments.js';

interface AssignmentsModalProps {
  assignable: Assignable & { name: string; public: boolean };
  onClose: () => void;
}

/** Lists and edits the users of a worker or a worker group. */
export function AssignmentsModal({ assignable, onClose }: AssignmentsModalProps) {
  const [userId, setUserId] = useState<string | null>(null);
  const query = useAssignments(assignable);
  const assign = useAssign(assignable);
  const unassign = useUnassign(assignable);
  const assigned = query.data?.items ?? [];

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Users of ${assignable.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Group align="end" gap="xs" mb="md">
        <UserSelect
          className="grow-all"
          label="Assign it to"
          placeholder="Type part of a user name"
          developersOnly
          without={assigned.map(({ user_id: id }) => id)}
          value={userId}
          onChange={setUserId}
        />
        <FocusableButton
          loading={assign.isPending}
          disabled={userId === null}
          onClick={() => userId && assign.mutate(userId, { onSuccess: () => setUserId(null) })}
        >
          Assign
        </FocusableButton>
      </Group>
      {query.isError ? (
        <ErrorState what="The users could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : query.isPending ? (
        <Loading what="the users" />
      ) : assigned.length === 0 ? (
        <p className="tab-note">
          {assignable.public
            ? `Not assigned to anyone. The ${assignable.kind} is public, so everyone can use it.`
            : 'Not assigned to anyone, so only administrators can use it.'}
        </p>
      ) : (
        <ul className="assigned" aria-label="Assigned to">
          {assigned.map(({ user_id: id, username, created_at: since }) => (
            <li key={id}>
              <span>
                <strong>{username}</strong>
                <span className="cell-sub">
                  since <TimeText iso={since} zone />
                </span>
              </span>
              <Button
                size="xs"
                variant="subtle"
                color="red"
                onClick={() => unassign.mutate(id)}
                aria-label={`Unassign ${username}`}
              >
                Unassign
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}
