import { ActionIcon, Modal, Select } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { LIMITS } from '@trawl/contracts';
import { useVersions } from '../../../../api/requests/list-versions.js';
import { Loading } from '../../../../components/feedback/loading.js';
import { ErrorState } from '../../../../components/feedback/states.js';
import { timeWords } from '../../../../components/values/time-text.js';
import { versionText } from '../../../../components/values/version-text.js';
import { useComparison } from '../api/compare-versions.js';

import { CURRENT } from '../version-links.js';
import { FileComparison } from './file-comparison.js';

interface ComparisonModalProps {
  skriptId: string;
  /** The two sides: hash of a version, or `CURRENT`. */
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
  onClose: () => void;
}

/** Shows the differences between any two versions of a skript, file by file. */
export function ComparisonModal({ skriptId, from, to, onChange, onClose }: ComparisonModalProps) {
  const query = useComparison(skriptId, from, to);
  const versions = useVersions(skriptId, { limit: LIMITS.versionsPerSkript, skip: 0, sort: '-built_at' });
  const choices = [
    { value: CURRENT, label: 'The files as saved now' },
    ...(versions.data?.items ?? []).map(version => ({
      value: version.hash,
      label: `Version ${versionText(version.number, version.hash)} of ${timeWords(version.built_at)}${version.current ? ', current bundle' : ''}`,
    })),
  ];
  const nameOf = (side: string) => choices.find(({ value }) => value === side)?.label ?? side.slice(0, 10);
  const select = (label: string, value: string, change: (side: string) => void) => (
    <Select
      label={label}
      data={choices}
      value={value}
      allowDeselect={false}
      onChange={side => side !== null && change(side)}
    />
  );
  return (
    <Modal opened onClose={onClose} size="90rem" title="Compare versions" closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className="compared-sides">
        {select('From', from, side => onChange(side, to))}
        <ActionIcon variant="default" size={36} aria-label="Swap both sides" onClick={() => onChange(to, from)}>
          <IconArrowsExchange size={16} aria-hidden />
        </ActionIcon>
        {select('To', to, side => onChange(from, side))}
      </div>
      {query.isError ? (
        <ErrorState what="The changes could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : !query.data ? (
        <Loading what="the changes" />
      ) : query.data.files.length === 0 ? (
        <p className="tab-note">Both sides have the same files.</p>
      ) : (
        query.data.files.map(({ name, change, diff }) => (
          <section key={name} aria-label={name} className="compared">
            <h3>
              <span className="mono">{name}</span> <span className="cell-sub">{change}</span>
            </h3>
            {diff === null ? (
              <p className="tab-note">This change is too large to show line by line.</p>
            ) : (
              <FileComparison diff={diff} from={nameOf(from)} to={nameOf(to)} />
            )}
          </section>
        ))
      )}
    </Modal>
  );
}
