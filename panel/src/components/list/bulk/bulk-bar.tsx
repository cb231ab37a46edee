import { Button, CloseButton } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { notifyError, notifySuccess } from '../../feedback/notify.js';
import type { RowSelection } from '../row-selection.js';
import { showFailures } from './bulk-failures.js';
import type { BulkWork } from './bulk-work.js';

export interface BulkAction<T> {
  /** Such as `Pause`. */
  label: string;
  Icon: TablerIcon;
  /** The result for the rows, such as `paused`. */
  done: string;
  /** True for the rows that the action changes. The others stay as they are. */
  applies?: (item: T) => boolean;
  /** Asks the user if need be, and then calls `go` with the work. */
  start: (items: readonly T[], go: (work: BulkWork<T>) => void) => void;
}

interface BulkBarProps<T> {
  selection: RowSelection<T>;
  /** The noun of one row, such as `skript`. */
  noun: string;
  nameOf: (item: T) => string;
  actions: BulkAction<T>[];
  /** Keys of the queries that the actions affect. */
  reload: QueryKey[];
  /** Links to what a screen of its own does with the selected rows. */
  children?: ReactNode;
}

/** Takes the place of a list's filters while rows are selected: what can be done with all of them. */
export function BulkBar<T>({ selection, noun, nameOf, actions, reload, children }: BulkBarProps<T>) {
  const queryClient = useQueryClient();
  const { selected } = selection;
  const run = useMutation({
    mutationFn: async ({ action, items, work }: { action: BulkAction<T>; items: T[]; work: BulkWork<T> }) => {
      const failures = await work(items);
      const done = items.length - failures.length;
      if (done > 0) notifySuccess(`${countText(done, noun)} ${action.done}.`);
      if (failures.length > 0) {
        const title = `${countText(failures.length, noun)} of ${items.length} could not be ${action.done}`;
        showFailures(
          title,
          failures.map(({ item, message }) => ({ name: nameOf(item), message })),
        );
      }
      selection.select(failures.map(({ item }) => item));
    },
    onError: (error, { action, items }) =>
      notifyError(`${countText(items.length, noun)} could not be ${action.done}`, error),
    onSettled: () => Promise.all(reload.map(queryKey => queryClient.invalidateQueries({ queryKey }))),
  });
  return (
    <>
      <strong className="tabular" role="status">
        {countText(selected.length, noun)} selected
      </strong>
      {children}
      {actions.map(action => {
        const items = selected.filter(item => action.applies?.(item) ?? true);
        return (
          <Button
            key={action.label}
            variant="default"
            leftSection={<action.Icon size={16} aria-hidden />}
            disabled={items.length === 0 || run.isPending}
            loading={run.isPending && run.variables.action.label === action.label}
            onClick={() => action.start(items, work => run.mutate({ action, items, work }))}
          >
            {items.length === selected.length ? action.label : `${action.label} (${items.length})`}
          </Button>
        );
      })}
      <CloseButton aria-label="Clear the selection" onClick={() => selection.select([])} />
    </>
  );
}
