import { Badge, Button, Group } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import type { Version } from '../../../../api/entities.js';
import { useVersions } from '../../../../api/requests/list-versions.js';
import { EmptyState } from '../../../../components/feedback/states.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { type Column, DataTable } from '../../../../components/list/data-table.js';
import { useListParams } from '../../../../components/list/list-params.js';
import { useUrlParams } from '../../../../components/list/url-params.js';
import { RelativeTime } from '../../../../components/values/relative-time.js';
import { versionText } from '../../../../components/values/version-text.js';

import { useRestore } from '../use-restore.js';
import { CURRENT, comparing, viewing } from '../version-links.js';
import { ComparisonModal } from './comparison-modal.js';

interface VersionsTabProps {
  skriptId: string;
  /** True if the editor has unsaved changes. Then no version can be restored, because that may remove their files. */
  isDirty: boolean;
}

/** Table of all versions of a skript. */
export function VersionsTab({ skriptId, isDirty }: VersionsTabProps) {
  const params = useListParams('-built_at');
  const address = useUrlParams();
  const compare = (older: string, newer: string) => address.set(comparing(older, newer));
  const query = useVersions(skriptId, params.query);
  const { ask, restoring } = useRestore(skriptId, () => {});
  const [from, to] = [address.get('from'), address.get('to') || CURRENT];

  const columns: Column<Version>[] = [
    {
      key: 'version',
      title: 'Version',
      lead: true,
      render: version => (
        <Group gap="xs" component="span">
          <span className="cell-title tabular" title={version.hash}>
            {versionText(version.number, version.hash)}
          </span>
          {version.current && (
            <Badge size="sm" variant="light" tt="none">
              current bundle
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'built',
      title: 'Built',
      sortBy: 'built_at',
      brief: true,
      render: version => <RelativeTime iso={version.built_at} />,
    },
    { key: 'by', title: 'By', brief: true, render: version => version.built_by.username ?? 'a deleted account' },
    {
      key: 'size',
      title: 'Size',
      brief: true,
      render: version => <span className="tabular">{byteSize(version.size)}</span>,
    },
    { key: 'builds', title: 'Builds', render: version => <span className="tabular">{version.builds}</span> },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: version => (
        <Group gap="xs" wrap="nowrap" display="inline-flex">
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => address.set(viewing(version.hash))}
            aria-label={`View version ${versionText(version.number, version.hash)}`}
          >
            View
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => compare(version.hash, CURRENT)}
            aria-label={`Compare version ${versionText(version.number, version.hash)}`}
          >
            Compare
          </Button>
          <FocusableButton
            size="compact-xs"
            variant="default"
            disabled={isDirty}
            loading={restoring === version.hash}
            onClick={() => ask(version)}
            aria-label={`Restore version ${versionText(version.number, version.hash)}`}
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
      {from !== '' && (
        <ComparisonModal
          skriptId={skriptId}
          from={from}
          to={to}
          onChange={compare}
          onClose={() => address.set({ from: null, to: null })}
        />
      )}
    </>
  );
}
