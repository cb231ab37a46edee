import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { download } from '../../../api/client.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** Downloads everything that the account has stored. */
export function ArchiveCard() {
  const archive = useChange({
    send: () => download('/joint-api/account/archive', 'trawl-data.zip'),
    reload: [],
    failed: 'The archive was not downloaded',
  });
  return (
    <section className="card account-card" aria-labelledby="archive">
      <h2 id="archive">Download your data</h2>
      <p className="tab-note">
        A zip with your skripts, inputs, runs, schedules, exporters, webhooks, audit log and all documents and rows that
        you store. It contains no passwords, keys or input secrets.
      </p>
      <Button
        variant="default"
        loading={archive.isPending}
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => archive.mutate()}
      >
        Download archive
      </Button>
    </section>
  );
}
