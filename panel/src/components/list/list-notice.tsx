import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { fieldErrors } from '../../api/api-error.js';
import { MessageText } from '../feedback/message-text.js';
import { EmptyState } from '../feedback/states.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { type ListParams, pageCount } from './list-params.js';

/** Labels of the filters by their parameter in the address. */
const FILTER_LABELS: Record<string, string> = {
  action: 'Status',
  category: 'Category',
  exporter_id: 'Exporter',
  issue_id: 'Issue',
  role: 'Role',
  schedule_id: 'Schedule',
  search: 'Search',
  skript_id: 'Skript',
  state: 'State',
  status: 'Status',
  user_id: 'User',
  worker_id: 'Worker',
};
const MAX_SHOWN_CHARS = 60;

const all = new Intl.ListFormat('en-GB');

function shortened(text: string): string {
  const shown = inReadingOrder(text);
  return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
}

/** Returns the parameter in the address that the API knows as `field`. The panel calls each search for text `search`. */
const paramOf = (field: string): string => (field.endsWith('_contains') ? 'search' : field);

interface ListNoticeProps {
  /** Why the API refused the filters or the order; null if the address only names a page after the last one. */
  error: unknown;
  /** Content of the list after any other error. */
  failure: ReactNode;
  /** Number of items in the list. */
  total: number;
  params: ListParams;
  /** Labels of this list's filters that differ from those of other lists, by their parameter in the address. */
  labels?: Record<string, string>;
}

/** Names the filter or the order that the API refuses, and offers to remove it. */
function RefusedAddress({ error, failure, params, labels }: Omit<ListNoticeProps, 'total'>) {
  const { pathname, search } = useLocation();
  const labelOf = { ...FILTER_LABELS, ...labels };
  const refused = Object.keys(fieldErrors(error)).map(paramOf);
  const filters = refused.filter(name => labelOf[name] !== undefined && params.get(name) !== '');
  const remove = (names: string[]) => params.set(Object.fromEntries(names.map(name => [name, null])));

  if (filters.length > 0) {
    const isOne = filters.length === 1;
    return (
      <EmptyState
        title={`The ${isOne ? 'filter' : 'filters'} ${all.format(filters.map(name => `“${labelOf[name]}”`))} cannot be used`}
        action={
          <Button variant="default" onClick={() => remove(filters)}>
            Remove {isOne ? 'this filter' : 'these filters'}
          </Button>
        }
      >
        {filters.map(name => `“${shortened(params.get(name))}” is not a possible value of ${labelOf[name]}.`).join(' ')}{' '}
        Check the address of this page, or choose another value.
      </EmptyState>
    );
  }
  if (refused.includes('sort'))
    return (
      <EmptyState
        title="This list has no such order"
        action={
          <Button variant="default" onClick={() => remove(['sort'])}>
            Use the default order
          </Button>
        }
      >
        The address of this page orders the list by “{shortened(params.sort)}”. Trawl cannot order it by that.
      </EmptyState>
    );
  if (search === '') return failure;
  return (
    <EmptyState
      title="This filter does not work"
      action={
        <Button variant="default" component={Link} to={pathname} replace>
          Show the whole list
        </Button>
      }
    >
      <MessageText of={error} />
    </EmptyState>
  );
}

function PageBeyondEnd({ total, params }: { total: number; params: ListParams }) {
  const last = pageCount(total, params.pageSize);
  return (
    <EmptyState
      title={`This list has no page ${params.page}`}
      action={
        <>
          <Button variant="default" onClick={() => params.set({})}>
            First page
          </Button>
          {last > 1 && (
            <Button variant="default" ml="xs" onClick={() => params.set({ page: String(last) })}>
              Last page
            </Button>
          )}
        </>
      }
    >
      {last === 1 ? 'All of its rows are on one page.' : `Its rows end on page ${last}.`}
    </EmptyState>
  );
}

/** Content of a list whose address has a filter, an order or a page that does not exist. */
export default function ListNotice({ total, ...refused }: ListNoticeProps) {
  if (refused.error) return <RefusedAddress {...refused} />;
  return <PageBeyondEnd total={total} params={refused.params} />;
}
