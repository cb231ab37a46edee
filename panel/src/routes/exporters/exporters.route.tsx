import '../../styles/exporters.css';
import { Button, Tabs } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Page } from '../../components/page/page.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { ExportsTable } from '../../features/exporters/exports/exports-table.js';
import { ImportsTable } from '../../features/exporters/imports/imports-table.js';
import { UploadModal } from '../../features/exporters/imports/upload-modal.js';
import { ExportersTable } from '../../features/exporters/saved/exporters-table.js';
import { usePanelPath } from '../../session/panel-path.js';

const TABS = ['exports', 'exporters', 'imports'] as const;

export default function ExportersRoute() {
  const path = usePanelPath();
  const [params, setParams] = useSearchParams();
  const [isUploading, setUploading] = useState(false);
  const tab = TABS.find(name => name === params.get('tab')) ?? 'exports';
  const newExport = path('exporters', '/new');
  const newExporter = path('exporters', '/new?repeat=hand');
  return (
    <Page
      title="Exporters"
      description="Data written to files, and files imported into collections and tables."
      actions={
        tab === 'imports' ? (
          <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={() => setUploading(true)}>
            Import a file
          </Button>
        ) : (
          <Button
            component={Link}
            to={tab === 'exports' ? newExport : newExporter}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {tab === 'exports' ? 'New export' : 'New exporter'}
          </Button>
        )
      }
    >
      <Tabs
        value={tab}
        onChange={value => setParams(value === null || value === 'exports' ? {} : { tab: value })}
        keepMounted={false}
      >
        <TabList>
          <Tabs.Tab value="exports">Exports</Tabs.Tab>
          <Tabs.Tab value="exporters">Exporters</Tabs.Tab>
          <Tabs.Tab value="imports">Imports</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="exports">
          <ExportsTable newHref={newExport} />
        </Tabs.Panel>
        <Tabs.Panel value="exporters">
          <ExportersTable newHref={newExporter} hrefOf={({ id }) => path('exporters', `/new?exporter=${id}`)} />
        </Tabs.Panel>
        <Tabs.Panel value="imports">
          <ImportsTable onUpload={() => setUploading(true)} />
        </Tabs.Panel>
      </Tabs>
      {isUploading && (
        <UploadModal onClose={() => setUploading(false)} importHref={id => path('exporters', `/imports/${id}`)} />
      )}
    </Page>
  );
}
