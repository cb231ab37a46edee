import { Badge, Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Version } from '../../../../api/entities.js';
import { confirmDelete } from '../../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../../components/feedback/states.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { type Column, DataTable } from '../../../../components/list/data-table.js';
import { useListParams } from '../../../../components/list/list-params.js';
import { byteSize } from '../../../../components/values/byte-size.js';
import { TimeText, timeWords, ZONE } from '../../../../components/values/time-text.js';
import { useVersions } from '../api/list-versions.js';
import { useRestoreVersion } from '../api/restore-version.js';
import { ComparisonModal } from './comparison-modal.js';

interface VersionsTabProps {
  skriptId: string;
  /** True if the editor has unsaved changes. Then no version can be restored, because that may remove their files. */
  isDirty: boolean;
}

/** Table of all versions of a skript. */
export function VersionsTab({ skriptId, isDirty }: VersionsTabProps) {
  const params = useListParams('-built_at');
  const query = useVersions(skriptId, params.query);
  const restore = useRestoreVersion(skriptId);
  const [compared, setCompared] = useState<Version | null>(null);
  const askToRestore = ({ hash, built_at: builtAt }: Version) =>
    confirmDelete({
      title: `Restore the version of ${timeWords(builtAt)}?`,
      children:
        'The skript gets the files of that version. Files added since then are removed; inputs and settings do not change. To keep the present files as a version, bundle first.',
      confirmLabel: 'Restore version',
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
              current bundle
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'by', title: 'By', render: version => version.built_by.username ?? 'a deleted account' },
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
          <FocusableButton
            size="xs"
            variant="default"
            disabled={isDirty}
            loading={restore.isPending && restore.variables === version.hash}
            onClick={() => askToRestore(version)}
            aria-label={`Restore the version of ${timeWords(version.built_at)}`}
          >
            Restore
          </FocusableButton>
        </Group>
      ),
    },
  ];

  return (
    <>
      <p className="tab-note versions-note">
        Every build creates a version with its files.
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
          <EmptyState title="No versions yet">
            Press Bundle or Run to create one. You can compare and restore versions here.
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
