import type { ChangeKind } from '@trawl/contracts';
import { ChangeStatus } from '../../../components/changes/change-status.js';
import { ChangedFields, RowValues } from '../../../components/changes/changed-fields.js';
import { keyText } from '../../../components/changes/key-text.js';
import type { Column } from '../../../components/list/data-table.js';

interface ShownChange {
  kind: ChangeKind;
  key: string | null;
  fields: Record<string, { was?: unknown; now?: unknown }> | null;
  row?: Record<string, unknown>;
}

/** Columns of a table of changes. `keyTitle` is null if rows have no key. */
export const changeColumns = <T extends ShownChange>(keyTitle: string | null): Column<T>[] => [
  ...(keyTitle === null
    ? []
    : [
        {
          key: 'key',
          title: keyTitle,
          lead: true,
          names: true,
          render: ({ key }: T) => (
            <span className="cell-title three-lines" title={key ?? ''}>
              {key === null ? '–' : keyText(key)}
            </span>
          ),
        },
      ]),
  { key: 'kind', title: 'Change', brief: true, render: ({ kind }) => <ChangeStatus kind={kind} /> },
  {
    key: 'fields',
    title: 'Was → now',
    brief: true,
    render: ({ kind, fields, row = {} }) => (
      <div>
        {fields ? <ChangedFields fields={fields} /> : row && <RowValues row={row} />}
        {kind === 'changed' && keyTitle === null && (
          <details>
            <summary>Whole row</summary>
            <RowValues row={row} />
          </details>
        )}
      </div>
    ),
  },
];
