import { ActionIcon, NativeSelect, Pagination, Skeleton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconChevronDown } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, Suspense, useState } from 'react';
import type { Listed } from '../../api/entities.js';
import { isMissing } from '../feedback/load-failure.js';
import { ErrorState } from '../feedback/states.js';
import { lazyScreen } from '../lazy-screen.js';
import { ScrollFrame } from '../scroll/scroll-frame.js';
import { type ListParams, nextSort, PAGE_SIZES, pageCount } from './list-params.js';
import { useIsPhone } from './use-is-phone.js';

export interface Column<T> {
  key: string;
  title: string;
  /** Field name for sorting in the API; missing if the list cannot be sorted by this column. */
  sortBy?: string;
  render: (item: T) => ReactNode;
  /** True for the column that names the row. On phones it is shown first. */
  lead?: boolean;
  /** True for a column of names or addresses, which may be long and have no spaces. They wrap anywhere. */
  names?: boolean;
  /** True for a main fact of the row. If a list has such columns, phones show the others only in opened rows. */
  brief?: boolean;
  /** True for a brief column whose values mean little without its title: phones show it beside them in closed rows. */
  named?: boolean;
  /** True for the column of buttons, which has no visible heading. */
  actions?: boolean;
  /** Content of the heading besides the title. With `selects`, it replaces the title. */
  heading?: ReactNode;
  /** True for the column of checkboxes that select rows. */
  selects?: boolean;
}

interface DataTableProps<T> {
  /** Accessible name of the table. */
  label: string;
  columns: Column<T>[];
  query: UseQueryResult<Listed<T>>;
  rowKey: (item: T) => string;
  params?: ListParams;
  /** Labels of filters that differ from those of other lists, by their parameter in the address. */
  filterLabels?: Record<string, string>;
  /** Shown instead of the table if the list is empty. */
  empty: ReactNode;
  /** Search and filters. */
  toolbar?: ReactNode;
  /** Subject of the error "… could not be loaded", such as "The skripts". */
  what: string;
}

// The tables of the dashboard, which loads first, do without.
const ListNotice = lazyScreen(() => import('./list-notice.js'));

const SMALLEST_PAGE = Math.min(...PAGE_SIZES);

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e'];

function Heading<T>({ column, params }: { column: Column<T>; params?: ListParams }) {
  if (column.selects) {
    return (
      <th scope="col" className="cell-select">
        {column.heading}
      </th>
    );
  }
  if (column.actions) {
    return (
      <th scope="col" className="cell-actions">
        <span className="visually-hidden">{column.title}</span>
      </th>
    );
  }
  if (!column.sortBy || !params) {
    return (
      <th scope="col">
        {column.title}
        {column.heading}
      </th>
    );
  }
  const field = column.sortBy;
  const direction = params.sort === field ? 'ascending' : params.sort === `-${field}` ? 'descending' : 'none';
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[direction];
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" onClick={() => params.set({ sort: nextSort(params.sort, field) })}>
        {/* A field of a document is a heading too, and may have a long name. */}
        <span className="clip" title={column.title}>
          {column.title}
        </span>
        <Icon size={13} aria-hidden />
      </button>
      {column.heading}
    </th>
  );
}

/** Sort control for phones, where the column headings are hidden. */
function PhoneSort<T>({ columns, params }: { columns: Column<T>[]; params: ListParams }) {
  const fields = columns.flatMap(({ sortBy, title }) => (sortBy ? [{ sortBy, title }] : []));
  if (fields.length === 0) return null;
  return (
    <NativeSelect
      className="list-sort"
      hiddenFrom="sm"
      size="sm"
      aria-label="Sort by"
      data={fields.flatMap(({ sortBy, title }) => [
        { value: sortBy, label: `${title}, ascending` },
        { value: `-${sortBy}`, label: `${title}, descending` },
      ])}
      value={params.sort}
      onChange={event => params.set({ sort: event.currentTarget.value })}
    />
  );
}

function Footer({
  total,
  capped,
  shown,
  params,
}: {
  total: number;
  capped: boolean;
  shown: number;
  params: ListParams;
}) {
  const first = params.query.skip + 1;
  const pages = pageCount(total, params.pageSize);
  return (
    <div className="list-foot">
      <span className="tabular" aria-live="polite">
        {first}–{first + shown - 1} of {capped ? `more than ${total.toLocaleString()}` : total.toLocaleString()}
      </span>
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={params.page}
          onChange={page => params.set({ page: String(page) })}
          getControlProps={control => ({ 'aria-label': `${control} page` })}
          getItemProps={page => ({ 'aria-label': `Page ${page}` })}
        />
      )}
      {total > SMALLEST_PAGE && (
        <NativeSelect
          size="xs"
          w={116}
          aria-label="Rows per page"
          data={PAGE_SIZES.map(size => ({ value: String(size), label: `${size} rows` }))}
          value={String(params.pageSize)}
          onChange={event => params.set({ size: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

/**
 * Opens what the row names, unless the click was on a control, in a menu or dialog of the row, or ended the selection of
 * text.
 */
function openRow({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLTableRowElement>) {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return;
  if (target.closest('a, button, input, label, summary') || getSelection()?.toString()) return;
  const click = new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  currentTarget.querySelector(':is(a, button).cell-title')?.dispatchEvent(click);
}

interface RowProps<T> {
  item: T;
  columns: Column<T>[];
  /** True on phones, if the list has brief columns. */
  isCompact: boolean;
}

function Row<T>({ item, columns, isCompact }: RowProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const shown =
    isCompact && !isOpen
      ? columns.filter(({ lead, brief, selects, actions }) => lead || brief || selects || actions)
      : columns;
  const label = isOpen ? 'Show less of this row' : 'Show all of this row';
  return (
    <tr data-open={isOpen || undefined} onClick={openRow}>
      {shown.map(column => (
        <td
          key={column.key}
          data-label={column.title}
          data-lead={column.lead || undefined}
          data-named={column.named || undefined}
          data-names={column.names || undefined}
          className={column.actions ? 'cell-actions' : column.selects ? 'cell-select' : undefined}
        >
          {column.render(item)}
        </td>
      ))}
      {isCompact && (
        <td className="cell-more">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={label}
            aria-expanded={isOpen}
            onClick={() => setOpen(open => !open)}
          >
            <IconChevronDown size={18} aria-hidden />
          </ActionIcon>
        </td>
      )}
    </tr>
  );
}

/** A list in all its states: loading, failed, empty, or rows with paging and sorting. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, query, rowKey, params, filterLabels, empty, toolbar, what } = props;
  const items = query.data?.items;
  const isPhone = useIsPhone();
  const isCompact = isPhone && columns.some(({ brief }) => brief);
  const total = query.data?.total ?? 0;
  const isEmpty = items?.length === 0;
  const failure = query.isError && !items && (
    <ErrorState inset what={`${what} could not be loaded`} error={query.error} onRetry={() => query.refetch()} />
  );
  const isWrongPage = isEmpty && total > 0 && params && params.page > 1;
  return (
    <section className="card" aria-label={label} aria-busy={query.isPending}>
      {toolbar && <div className="list-bar">{toolbar}</div>}
      {params && (isWrongPage || (failure && isMissing(query.error))) ? (
        <Suspense>
          <ListNotice error={query.error} failure={failure} total={total} params={params} labels={filterLabels} />
        </Suspense>
      ) : failure ? (
        failure
      ) : isEmpty ? (
        empty
      ) : (
        <ScrollFrame>
          {params && <PhoneSort columns={columns} params={params} />}
          <table className="table" data-stack data-compact={isCompact || undefined} aria-label={label}>
            <thead>
              <tr>
                {columns.map(column => (
                  <Heading key={column.key} column={column} params={params} />
                ))}
              </tr>
            </thead>
            <tbody>
              {items
                ? items.map(item => <Row key={rowKey(item)} item={item} columns={columns} isCompact={isCompact} />)
                : SKELETON_ROWS.map(row => (
                    <tr key={row}>
                      {columns.map(column => (
                        <td key={column.key} data-label={column.title} data-lead={column.lead || undefined}>
                          {!column.actions && (
                            <Skeleton height={14} my={4} width={column.selects ? 16 : column.lead ? '70%' : 72} />
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
            </tbody>
          </table>
        </ScrollFrame>
      )}
      {items && params && !isEmpty && (
        <Footer total={total} capped={query.data?.total_capped ?? false} shown={items.length} params={params} />
      )}
    </section>
  );
}
