import { Group } from '@mantine/core';
import type { IssueStatus } from '@trawl/contracts';
import type { Issue } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { messageText } from './issue-columns.js';
import { useSetIssueStatus } from './issues.js';

const LABELS: Record<IssueStatus, string> = { open: 'Open again', muted: 'Mute', resolved: 'Resolve' };

/** The statuses that an issue can get, by its current one. */
const NEXT: Record<IssueStatus, IssueStatus[]> = {
  open: ['resolved', 'muted'],
  muted: ['resolved', 'open'],
  resolved: ['open'],
};

function StatusButton({ issue, status }: { issue: Issue; status: IssueStatus }) {
  const change = useSetIssueStatus(status);
  return (
    <FocusableButton
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      onClick={() => change.mutate(issue)}
      aria-label={`${LABELS[status]}: ${messageText(issue)}`}
    >
      {LABELS[status]}
    </FocusableButton>
  );
}

/** Buttons that resolve, mute and open an issue. */
export const IssueActions = ({ issue }: { issue: Issue }) => (
  <Group gap="xs" wrap="nowrap" display="inline-flex">
    {NEXT[issue.status].map(status => (
      <StatusButton key={status} issue={issue} status={status} />
    ))}
  </Group>
);
