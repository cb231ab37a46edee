import { Badge, Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Version } from '../../../api/entities.js';
import { byteSize } from '../../../components/byte-size.js';
import { confirmDelete } from '../../../components/confirm-delete.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { useListParams } from '../../../components/list-params.js';
import { EmptyState } from '../../../components/states.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { TimeText, timeWords, ZONE } from '../../../components/time-text.js';
import { useVersions } from '../api/list-versions.js';
import { useRestoreVersion } from '../api/restore-version.js';
import { ComparisonModal } from './comparison-modal.js';

interface VersionsTabProps {
  skriptId: string;
  /** Whether something was typed and not saved: restoring would lose its place. */
  isDirty: boolean;
}

/** Every bundle that was built of the skript. */
export function VersionsTab({ skriptId, isDirty }: VersionsTabProps) {
  const params = useListParams('-built_at');
  const query = useVersions(skriptId, params.query);
  const restore = useRestoreVersion(skriptId);
  const [compared, setCompared] = useState<Version | null>(null);
  const askToRestore = ({ hash, built_at: builtAt }: Version) =>
    confirmDelete({
      title: `Restore the version of ${timeWords(builtAt)}?`,
      children:
        'The skript gets the files of that version. Files that were added since are removed; inputs and settings stay. Bundle first, and what the skript has now is a version, too.',
      confirmLabel: 'Restore the version',
      onConfirm: () => restore.mutate(hash),
    });

  const columns: Column<Version>[] = [
    {
      key: 'built',
      title: `Built (${ZONE})`,
      sortBy: 'built_at',
      lead: true,
      render: version => (
        <Group gap="xs" component="span">
          <span className="cell-title">
            <TimeText iso={version.built_at} />
          </span>
          {version.current && (
            <Badge size="sm" variant="light" tt="none">
              the bundle now
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'by', title: 'By', render: version => version.built_by.username ?? 'an account that is gone' },
    { key: 'size', title: 'Size', render: version => <span className="tabular">{byteSize(version.size)}</span> },
    { key: 'builds', title: 'Builds', render: version => <span className="tabular">{version.builds}</span> },
    {
      key: 'hash',
      title: 'Hash',
      render: version => (
        <span className="mono" title={version.hash}>
          {version.hash.slice(0, 10)}
        </span>
      ),
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: version => (
        <Group gap="xs" wrap="nowrap" display="inline-flex">
          <Button
            size="xs"
            variant="default"
            onClick={() => setCompared(version)}
            aria-label={`Compare the version of ${timeWords(version.built_at)}`}
          >
            Compare
          </Button>
          <SteadyButton
            size="xs"
            variant="default"
            disabled={isDirty}
            loading={restore.isPending && restore.variables === version.hash}
            onClick={() => askToRestore(version)}
            aria-label={`Restore the version of ${timeWords(version.built_at)}`}
          >
            Restore
          </SteadyButton>
        </Group>
      ),
    },
  ];

  return (
    <>
      <p className="tab-note versions-note">
        Every bundle that was built is a version, with the files it was built of.
        {isDirty && ' Save your changes before you restore one.'}
      </p>
      <DataTable
        label="Versions"
        what="The versions"
        columns={columns}
        query={query}
        params={params}
        rowKey={version => version.hash}
        empty={
          <EmptyState title="There is no version yet">
            Press Bundle or Run: what is built then can be compared and restored here.
          </EmptyState>
        }
      />
      {compared && (
        <ComparisonModal
          skriptId={skriptId}
          hash={compared.hash}
          builtAt={timeWords(compared.built_at)}
          onClose={() => setCompared(null)}
        />
      )}
    </>
  );
}
