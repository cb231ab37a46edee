import { Button, Skeleton } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useRanVersion } from '../../../api/requests/get-skript.js';
import { isMissing } from '../../../components/feedback/load-failure.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';

interface RunFilesProps {
  execution: Execution;
  /** Path of a file of the version that ran, in the editor. Without a name, of the version. */
  fileHref: (name?: string) => string;
}

function FileList({ execution, fileHref }: RunFilesProps) {
  const query = useRanVersion(execution);
  if (execution.bundle_hash === null)
    return <p>The skript is not built yet. Its files appear here as soon as the run has a version.</p>;
  if (query.isError && isMissing(query.error))
    return <EmptyState title="This version is gone">It was deleted together with its skript.</EmptyState>;
  if (query.isError && !query.data)
    return <ErrorState what="The files could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <Skeleton height={120} />;
  return (
    <ul className="run-files">
      {query.data.files.map(({ name, size }) => (
        <li key={name}>
          <Link className="link mono" to={fileHref(name)}>
            {inReadingOrder(name)}
          </Link>
          <span className="cell-sub tabular">{byteSize(size)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The files of the skript as they were when the run executed them. */
export function RunFiles({ execution, fileHref }: RunFilesProps) {
  return (
    <section className="card result" aria-label="Files of the version that ran">
      <header>
        <h2>Files of the version that ran</h2>
        {execution.bundle_hash !== null && (
          <Button size="xs" variant="default" component={Link} to={fileHref()}>
            Open the version
          </Button>
        )}
      </header>
      <FileList execution={execution} fileHref={fileHref} />
    </section>
  );
}
