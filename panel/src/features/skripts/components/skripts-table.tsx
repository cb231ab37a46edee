import { ActionIcon, Button, Group, Menu, Skeleton } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { LastResult, LatestRun, ListedSkript } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useLatestRuns } from '../../../api/requests/list-latest-runs.js';
import { useSkripts } from '../../../api/requests/list-skripts.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { BulkBar } from '../../../components/list/bulk/bulk-bar.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { Filters } from '../../../components/list/filters.js';
import { useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SavedFilters } from '../../../components/list/preferences/saved-filters.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { useRowSelection } from '../../../components/list/row-selection.js';
import { SearchField } from '../../../components/list/search-field.js';
import { RunResult } from '../../../components/runs/run-result.js';
import { RunStrip } from '../../../components/runs/run-strip.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { useDeleteSkript } from '../api/delete-skript.js';
import { useDownloadSkript } from '../api/download-skript.js';
import { useSetTags } from '../api/label-skript.js';
import { useLabels } from '../api/list-labels.js';
import { LabelFilter } from '../labels/label-filter.js';
import { TagList } from '../labels/tag-list.js';
import { openTags } from '../labels/tags-modal.js';
import { confirmDeleteSkript } from './confirm-delete-skript.js';
import { FavouriteButton } from './favourite-button.js';
import { skriptActions } from './skript-bulk.js';
import { Thumbnail } from './thumbnail.js';

interface SkriptsTableProps {
  executeHref: (skriptId: string) => string;
  runsHref: (skriptId: string) => string;
  runHref: (runId: string) => string;
  onNew: () => void;
}

const FILTERS = ['search', 'result', 'category', 'tag'];

/** In the words of the column. */
const RESULT_CHOICES: { value: LastResult; label: string }[] = [
  { value: 'error', label: 'Failed' },
  { value: 'broken', label: 'Rows broken' },
  { value: 'end', label: 'Completed' },
  { value: 'stop', label: 'Stopped' },
  { value: 'live', label: 'In progress' },
  { value: 'none', label: 'No runs yet' },
];

/** How the newest run ended, and when it began. */
const NewestRun = ({ run, href }: { run: LatestRun; href: string }) => (
  <Link className="last-result" to={href}>
    <RunResult action={run.action} level={run.verdict_level} />
    <span className="cell-sub">
      <RelativeTime iso={run.created_at} />
    </span>
  </Link>
);

/** Actions of one skript. */
function SkriptMenu({ skript, tags }: { skript: ListedSkript; tags: readonly string[] }) {
  const remove = useDeleteSkript();
  const download = useDownloadSkript();
  const setTags = useSetTags();
  return (
    <RowMenu of={skript.title}>
      <Menu.Item component={Link} to={skript.id}>
        Edit
      </Menu.Item>
      <Menu.Item
        onClick={() => openTags([skript], tags, tagsOf => setTags.mutate({ id: skript.id, tags: tagsOf(skript) }))}
      >
        Tags…
      </Menu.Item>
      <Menu.Item onClick={() => download.mutate(skript)}>Download</Menu.Item>
      <Menu.Item color="red" onClick={() => confirmDeleteSkript(skript, () => remove.mutate(skript.id))}>
        Delete…
      </Menu.Item>
    </RowMenu>
  );
}

export function SkriptsTable({ executeHref, runsHref, runHref, onNew }: SkriptsTableProps) {
  const params = useListParams('-updated_at');
  const [search, result, category, tag] = FILTERS.map(name => params.get(name));
  const query = useSkripts({
    ...params.query,
    sort: `-favourite,${params.sort}`,
    title_contains: search || undefined,
    last_result: RESULT_CHOICES.find(({ value }) => value === result)?.value,
    category: category || undefined,
    tag: tag || undefined,
  });
  const skripts = query.data?.items ?? [];
  const runs = useLatestRuns(skripts.map(({ id }) => id));
  const latest = runs.data?.items ?? [];
  const labels = useLabels();
  const { categories = [], tags = [] } = labels.data ?? {};
  const nameOf = ({ title }: ListedSkript) => title;
  const selection = useRowSelection(skripts, ({ id }) => id, nameOf);

  const columns: Column<ListedSkript>[] = [
    selection.column,
    {
      key: 'title',
      title: 'Title',
      sortBy: 'title',
      lead: true,
      render: skript => (
        <span className="skript-lead">
          <FavouriteButton skript={skript} />
          <Thumbnail key={skript.thumbnail} title={skript.title} address={skript.thumbnail} />
          <span>
            <Link className="cell-title" to={skript.id} title={inReadingOrder(skript.title)}>
              {inReadingOrder(skript.title)}
            </Link>
            {skript.description && (
              <span className="cell-sub clip" title={inReadingOrder(skript.description)}>
                {inReadingOrder(skript.description)}
              </span>
            )}
            <TagList tags={skript.tags} onChoose={chosen => params.set({ tag: chosen })} />
          </span>
        </span>
      ),
    },
    {
      key: 'result',
      title: 'Last result',
      sortBy: 'last_run_at',
      brief: true,
      render: ({ id }) => {
        const run = latest.find(({ skript_id }) => skript_id === id);
        if (run) return <NewestRun run={run} href={runHref(run.id)} />;
        if (runs.isPending) return <Skeleton height={14} width={84} />;
        return <Status tone="quiet" hollow label={runs.isError ? 'not loaded' : 'no runs yet'} />;
      },
    },
    {
      key: 'runs',
      title: 'Last runs',
      render: ({ id }) => {
        const own = latest.filter(run => run.skript_id === id);
        return own.length > 0 && <RunStrip runs={own} href={runsHref(id)} />;
      },
    },
    {
      key: 'next',
      title: 'Next run',
      brief: true,
      named: true,
      render: ({ next_fire_at: next }) => next && <RelativeTime iso={next} />,
    },
    {
      key: 'category',
      title: 'Category',
      sortBy: 'category',
      render: skript => <span title={inReadingOrder(skript.category)}>{inReadingOrder(skript.category)}</span>,
    },
    {
      key: 'updated',
      title: 'Updated',
      sortBy: 'updated_at',
      render: skript => <RelativeTime iso={skript.updated_at} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: skript => (
        <Group gap={4} wrap="nowrap" display="inline-flex">
          <ActionIcon
            variant="subtle"
            component={Link}
            to={executeHref(skript.id)}
            title="Execute"
            aria-label={`Execute ${inReadingOrder(skript.title)}`}
          >
            <IconPlayerPlay size={16} aria-hidden />
          </ActionIcon>
          <SkriptMenu skript={skript} tags={tags} />
        </Group>
      ),
    },
  ];

  const isFiltered = FILTERS.some(name => params.get(name) !== '');
  return (
    <DataTable
      label="Skripts"
      what="The skripts"
      columns={columns}
      query={query}
      params={params}
      rowKey={skript => skript.id}
      toolbar={
        selection.selected.length > 0 ? (
          <BulkBar
            selection={selection}
            noun="skript"
            nameOf={nameOf}
            actions={skriptActions(tags)}
            reload={[QUERY_KEYS.skripts, QUERY_KEYS.executions]}
          />
        ) : (
          <>
            <SearchField
              label="Search by title"
              value={search ?? ''}
              onChange={text => params.set({ search: text || null })}
            />
            <Filters set={[result, category, tag].filter(Boolean).length}>
              <ChoiceFilter params={params} name="result" label="All results" choices={RESULT_CHOICES} width={150} />
              <LabelFilter
                label="Category"
                plural="categories"
                choices={categories}
                source={labels}
                value={category ?? ''}
                onChange={chosen => params.set({ category: chosen })}
              />
              <LabelFilter
                label="Tag"
                plural="tags"
                choices={tags}
                source={labels}
                value={tag ?? ''}
                onChange={chosen => params.set({ tag: chosen })}
              />
            </Filters>
            <SavedFilters list="skripts" />
          </>
        )
      }
      empty={
        isFiltered ? (
          <NoMatches params={params} filters={FILTERS} title="No matching skripts">
            No skript matches all filters. Check the spelling, search for fewer letters, or choose another result,
            category or tag.
          </NoMatches>
        ) : (
          <EmptyState title="Write your first skript" action={<Button onClick={onNew}>Start with an example</Button>}>
            A skript is JavaScript code with a main.js. It starts as a small example that you can run.
          </EmptyState>
        )
      }
    />
  );
}
