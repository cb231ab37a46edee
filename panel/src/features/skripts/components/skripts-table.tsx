import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { countText } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Skript } from '../../../api/entities.js';
import { useLatestRuns } from '../../../api/requests/list-latest-runs.js';
import { useSkripts } from '../../../api/requests/list-skripts.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { SearchField } from '../../../components/list/search-field.js';
import { RunStrip } from '../../../components/runs/run-strip.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText, ZONE } from '../../../components/values/time-text.js';
import { useDeleteSkript } from '../api/delete-skript.js';
import { useDownloadSkript } from '../api/download-skript.js';
import { BundleState } from './bundle-state.js';
import { CategoryFilter } from './category-filter.js';
import { confirmDeleteSkript } from './confirm-delete-skript.js';
import { Thumbnail } from './thumbnail.js';

interface SkriptsTableProps {
  executeHref: (skriptId: string) => string;
  runsHref: (skriptId: string) => string;
  onNew: () => void;
}

export function SkriptsTable({ executeHref, runsHref, onNew }: SkriptsTableProps) {
  const params = useListParams('-updated_at');
  const search = params.get('search');
  const category = params.get('category');
  const query = useSkripts({
    ...params.query,
    title_contains: search || undefined,
    category: category || undefined,
  });
  const latest = useLatestRuns(query.data?.items.map(({ id }) => id) ?? []).data?.items ?? [];
  const remove = useDeleteSkript();
  const download = useDownloadSkript();

  const columns: Column<Skript>[] = [
    {
      key: 'title',
      title: 'Title',
      sortBy: 'title',
      lead: true,
      render: skript => (
        <span className="skript-lead">
          <Thumbnail key={skript.thumbnail} title={skript.title} address={skript.thumbnail} />
          <span>
            <Link className="cell-title" to={skript.id} title={inReadingOrder(skript.title)}>
              {inReadingOrder(skript.title)}
            </Link>
            {skript.description && <span className="cell-sub clip">{inReadingOrder(skript.description)}</span>}
          </span>
        </span>
      ),
    },
    {
      key: 'category',
      title: 'Category',
      brief: true,
      sortBy: 'category',
      render: ({ category }) => (
        <span className="skript-category clip" title={inReadingOrder(category)}>
          {inReadingOrder(category)}
        </span>
      ),
    },
    {
      key: 'runs',
      title: 'Last runs',
      render: ({ id }) => <RunStrip runs={latest.filter(run => run.skript_id === id)} href={runsHref(id)} />,
    },
    {
      key: 'environment',
      title: 'Environment',
      render: ({ environment, files }) => (
        <>
          {environment}
          <span className="cell-sub">{countText(files.length, 'file')}</span>
        </>
      ),
    },
    {
      key: 'bundle',
      title: 'Bundle',
      render: skript => <BundleState skript={skript} />,
    },
    {
      key: 'updated',
      title: `Updated (${ZONE})`,
      sortBy: 'updated_at',
      render: skript => <TimeText iso={skript.updated_at} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: skript => (
        <Group gap="xs" wrap="nowrap" display="inline-flex">
          <Button size="xs" variant="default" component={Link} to={executeHref(skript.id)}>
            Execute
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`More for ${inReadingOrder(skript.title)}`}>
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component={Link} to={skript.id}>
                Edit
              </Menu.Item>
              <Menu.Item onClick={() => download.mutate(skript)}>Download</Menu.Item>
              <Menu.Item color="red" onClick={() => confirmDeleteSkript(skript, () => remove.mutate(skript.id))}>
                Delete…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      ),
    },
  ];

  return (
    <DataTable
      label="Skripts"
      what="The skripts"
      columns={columns}
      query={query}
      params={params}
      rowKey={skript => skript.id}
      toolbar={
        <>
          <SearchField label="Search by title" value={search} onChange={text => params.set({ search: text || null })} />
          <CategoryFilter value={category} onChange={chosen => params.set({ category: chosen })} />
        </>
      }
      empty={
        search || category ? (
          <EmptyState
            title={inReadingOrder(
              search
                ? `No skript${category && ` of the category ${category}`} has “${search}” in its title`
                : `No skript has the category ${category}`,
            )}
            action={<Button onClick={() => params.set({ search: null, category: null })}>Show all skripts</Button>}
          >
            Check the spelling, search for fewer letters, or choose another category.
          </EmptyState>
        ) : (
          <EmptyState title="Write your first skript" action={<Button onClick={onNew}>Start with an example</Button>}>
            A skript is JavaScript code with a main.js. It starts as a small example that you can run.
          </EmptyState>
        )
      }
    />
  );
}
