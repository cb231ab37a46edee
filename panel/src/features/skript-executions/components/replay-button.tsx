import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { Execution, ReplayChoice } from '../../../api/entities.js';
import { useVersions } from '../../../api/requests/list-versions.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { timeWords } from '../../../components/values/time-text.js';
import { versionText } from '../../../components/values/version-text.js';
import { useReplayRun } from '../api/replay-run.js';

const SHOWN_VERSIONS = 10;

interface ReplayButtonProps {
  execution: Execution;
  /** Called with the id of the replay. */
  onStarted: (id: string) => void;
}

/** Starts a replay of a run. Shows why there is no record, and nothing for a run without one. */
export function ReplayButton({ execution: { id, skript, bundle_hash, record }, onStarted }: ReplayButtonProps) {
  const replay = useReplayRun();
  if (!record) return null;
  if (record.bytes === 0) {
    return (
      <Text size="sm" c="dimmed" maw="40ch">
        {`No record. ${record.problem ?? ''}`}
      </Text>
    );
  }
  const start = (choice: ReplayChoice = {}) =>
    replay.mutate({ id, ...choice }, { onSuccess: started => onStarted(started.id) });
  return (
    <Group gap={2} wrap="nowrap">
      <FocusableButton
        variant="default"
        loading={replay.isPending}
        onClick={() => start()}
        title={[
          `Run the current files without the network, against the ${record.exchanges} recorded HTTP exchanges.`,
          record.problem,
        ]
          .join(' ')
          .trim()}
      >
        Replay
      </FocusableButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="Replay otherwise">
            <IconChevronDown size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => start({ on_miss: 'network' })}>
            Current files; requests without a recorded answer use the network
          </Menu.Item>
          <VersionItems skriptId={skript.id} ofRun={bundle_hash} onChoose={version => start({ version })} />
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

interface VersionItemsProps {
  skriptId: string;
  /** Version of the recorded run. */
  ofRun: string | null;
  onChoose: (hash: string) => void;
}

/** The newest versions of a skript, loaded when the menu opens. */
function VersionItems({ skriptId, ofRun, onChoose }: VersionItemsProps) {
  const { data, error } = useVersions(skriptId, { limit: SHOWN_VERSIONS, skip: 0, sort: '-built_at' });
  if (error) return <Menu.Label>{`The versions could not be loaded: ${error.message}`}</Menu.Label>;
  if (!data) return <Menu.Label>Loading the versions…</Menu.Label>;
  return data.items.map(({ number, hash, built_at }) => (
    <Menu.Item key={hash} onClick={() => onChoose(hash)}>
      {`Version ${versionText(number, hash)} of ${timeWords(built_at)}${hash === ofRun ? ', that of this run' : ''}`}
    </Menu.Item>
  ));
}
