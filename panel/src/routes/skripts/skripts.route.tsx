import '../../styles/runs/runs.css';
import '../../styles/skripts.css';
import { Button, Menu } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useIsPhone } from '../../components/list/use-is-phone.js';
import { Page } from '../../components/page/page.js';
import { UploadModal as ImportModal } from '../../features/exporters/imports/upload-modal.js';
import { CrawlingItems, CrawlingMenu } from '../../features/skripts/components/crawling-menu.js';
import { NewSkriptModal } from '../../features/skripts/components/new-skript-modal.js';
import { SkriptsFacts } from '../../features/skripts/components/skripts-facts.js';
import { SkriptsMenu } from '../../features/skripts/components/skripts-menu.js';
import { SkriptsTable } from '../../features/skripts/components/skripts-table.js';
import { UploadModal } from '../../features/skripts/components/upload-modal.js';
import { DropZone } from '../../features/skripts/dropped/drop-zone.js';
import { pack } from '../../features/skripts/dropped/pack.js';
import { usePanelPath } from '../../session/panel-path.js';

/** Files of data, which belong into a collection. */
const IS_DATA = /\.(csv|tsv|ndjson|jsonl)$/i;

export default function SkriptsRoute() {
  const path = usePanelPath();
  const isPhone = useIsPhone();
  const crawlingHref = (screen: string) => path('skripts', screen);
  const [params, setParams] = useSearchParams();
  const [isUploading, setUploading] = useState(false);
  const [archive, setArchive] = useState<File | null>(null);
  const [data, setData] = useState<File | null>(null);
  const upload = (dropped: File | null) => {
    setArchive(dropped);
    setUploading(true);
  };
  const setNew = (isNew: boolean) =>
    setParams(
      current => {
        const next = new URLSearchParams(current);
        if (isNew) next.set('new', '1');
        else next.delete('new');
        return next;
      },
      { replace: true },
    );
  return (
    <Page
      title="Skripts"
      facts={<SkriptsFacts />}
      actions={
        <>
          <SkriptsMenu>
            {isPhone && (
              <>
                <Menu.Item onClick={() => upload(null)}>Upload…</Menu.Item>
                <CrawlingItems href={crawlingHref} />
                <Menu.Divider />
              </>
            )}
          </SkriptsMenu>
          {!isPhone && (
            <>
              <CrawlingMenu href={crawlingHref} />
              <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={() => upload(null)}>
                Upload
              </Button>
            </>
          )}
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
            New skript
          </Button>
        </>
      }
    >
      <DropZone
        hint="Drop a folder or an archive to upload it as a skript"
        onFile={file => {
          const isData = IS_DATA.test(file.name);
          if (isData) setData(file);
          return isData;
        }}
        onDropped={async dropped => upload(await pack(dropped))}
      >
        <SkriptsTable
          executeHref={id => path('execute-skript', `?skript_id=${id}`)}
          runHref={id => path('skript-executions', `/${id}`)}
          runsHref={id => path('skript-executions', `?skript_id=${id}`)}
          onNew={() => setNew(true)}
        />
      </DropZone>
      {params.has('new') && (
        <NewSkriptModal onClose={() => setNew(false)} editorHref={id => path('skripts', `/${id}`)} />
      )}
      {data && (
        <ImportModal
          dropped={data}
          onClose={() => setData(null)}
          importHref={id => path('exporters', `/imports/${id}`)}
        />
      )}
      {isUploading && (
        <UploadModal
          key={archive?.name}
          dropped={archive}
          onClose={() => setUploading(false)}
          editorHref={id => path('skripts', `/${id}`)}
        />
      )}
    </Page>
  );
}
