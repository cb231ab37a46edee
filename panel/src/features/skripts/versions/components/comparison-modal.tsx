import { Loader, Modal } from '@mantine/core';
import { ErrorState } from '../../../../components/feedback/states.js';
import { useComparison } from '../api/compare-versions.js';
import { diffLines } from '../diff-lines.js';

interface ComparisonModalProps {
  skriptId: string;
  hash: string;
  /** When the version was built, as text. */
  builtAt: string;
  onClose: () => void;
}

const SPOKEN = { added: 'added: ', removed: 'removed: ', same: '', place: '' };

function Diff({ diff }: { diff: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <pre className="diff" tabIndex={0}>
      {diffLines(diff).map(({ kind, text }, index) => {
        const key = `${index} ${text}`;
        return (
          <span key={key} data-kind={kind}>
            <span className="visually-hidden">{SPOKEN[kind]}</span>
            {text}
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}

/** Shows the differences between a version and the files as they are saved now. */
export function ComparisonModal({ skriptId, hash, builtAt, onClose }: ComparisonModalProps) {
  const query = useComparison(skriptId, hash);
  return (
    <Modal
      opened
      onClose={onClose}
      size="80rem"
      title={`Changed since ${builtAt}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {query.isError ? (
        <ErrorState what="The changes could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Loader type="dots" aria-label="Loading the changes" />
      ) : query.data.files.length === 0 ? (
        <p className="tab-note">The files have not changed since that version.</p>
      ) : (
        query.data.files.map(({ name, change, diff }) => (
          <section key={name} aria-label={name} className="compared">
            <h3>
              <span className="mono">{name}</span> <span className="cell-sub">{change}</span>
            </h3>
            {diff === null ? (
              <p className="tab-note">This change is too large to show line by line.</p>
            ) : (
              <Diff diff={diff} />
            )}
          </section>
        ))
      )}
    </Modal>
  );
}
