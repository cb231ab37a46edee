import { Alert, Button, Group, Progress } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { download } from '../../../api/client.js';
import type { Import } from '../../../api/entities.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { forgetStoredForm } from '../../../components/unsaved/use-stored-form.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { changedBy, formNameOf, useCancelImport } from './imports.js';
import { progressWords } from './imports-table.js';

function BadRows({ item }: { item: Import }) {
  if (item.bad_rows === 0) return null;
  const save = () => {
    const name = `bad-rows-of-${item.file_name}`;
    download(`/joint-api/imports/${item.id}/bad-rows`, name).catch(error =>
      notifyError('The bad rows could not be downloaded', error),
    );
  };
  return (
    <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />} onClick={save}>
      Download {countText(item.bad_rows, 'bad row')}
    </Button>
  );
}

const resultWords = ({ inserted, updated, bad_rows: bad, table }: Import): string =>
  [
    `${countText(inserted ?? 0, table ? 'row' : 'document')} added`,
    (updated ?? 0) > 0 && `${updated?.toLocaleString()} updated`,
    bad > 0 && `${countText(bad, 'bad row')} left out`,
  ]
    .filter(Boolean)
    .join(', ');

/** Progress of an import that runs, or its outcome. */
export function ImportOutcome({ item, targetHref }: { item: Import; targetHref: string | null }) {
  const queryClient = useQueryClient();
  const { cancel, isPending, isStopping } = useCancelImport(item);
  const isDone = item.state === 'done';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the documents change only when the import is done.
  useEffect(() => {
    if (!isDone) return;
    forgetStoredForm(formNameOf(item));
    for (const queryKey of changedBy(item)) void queryClient.invalidateQueries({ queryKey });
  }, [isDone]);
  const { state, rows_read: read, rows_moved: moved } = item;
  if (state === 'queued' || state === 'running') {
    return (
      <section className="import-progress card" aria-label="Progress" role="status">
        <div>
          <strong>
            {isStopping ? 'Stopping…' : state === 'queued' ? 'Waiting for its turn' : progressWords(item)}
          </strong>
          <Progress
            mt={8}
            value={moved > 0 ? (100 * moved) / read : 100}
            animated
            striped
            aria-label="The import is running"
          />
        </div>
        <Button variant="default" loading={isPending} disabled={isStopping} onClick={cancel}>
          Cancel
        </Button>
      </section>
    );
  }
  if (state === 'uploaded') return null;
  const title = { done: resultWords(item), failed: 'The import failed', cancelled: 'The import was cancelled' };
  return (
    <Alert
      role={state === 'failed' ? 'alert' : 'status'}
      color={{ done: 'sea', failed: 'red', cancelled: 'gray' }[state]}
      variant="light"
      mb="md"
      title={title[state]}
    >
      {state === 'failed' && <MessageText of={item.error_message ?? ''} />}{' '}
      {(state === 'cancelled' || (state === 'failed' && moved === 0)) &&
        `The ${item.table ? 'table' : 'collection'} is unchanged. You can start it again.`}
      <Group gap="xs" mt="sm">
        {isDone && targetHref && (
          <Button size="xs" component={Link} to={targetHref}>
            Show {inReadingOrder(item.table ?? item.collection ?? '')}
          </Button>
        )}
        <BadRows item={item} />
      </Group>
    </Alert>
  );
}
