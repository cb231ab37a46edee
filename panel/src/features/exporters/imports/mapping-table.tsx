import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ScrollFrame } from '../../../components/scroll/scroll-frame.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import {
  CELL_TYPES,
  type CellType,
  COLUMNS_AT_ONCE,
  type ColumnEdit,
  type PlannedColumn,
  TABLE_TYPE_OPTIONS,
} from './import-plan.js';

interface MappingTableProps {
  columns: readonly PlannedColumn[];
  /** Whether the columns go into a table that exists, into a new one, or into a collection. */
  into: 'existing table' | 'new table' | 'collection';
  onEdit: (column: PlannedColumn, edit: ColumnEdit) => void;
  /** Values of the first document, by column. */
  exampleOf: (column: PlannedColumn) => string;
}

/** Says into which field and type each column of the file goes. */
export function MappingTable({ columns, into, onEdit, exampleOf }: MappingTableProps) {
  const [shown, setShown] = useState(COLUMNS_AT_ONCE);
  const hidden = columns.length - shown;
  return (
    <ScrollFrame>
      <table className="table mapping" data-stack aria-label="Columns of the file">
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">{into === 'collection' ? 'Field' : 'Column of the table'}</th>
            <th scope="col">Type</th>
            <th scope="col">First value</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, shown).map(column => {
            const { index, name, field, type, isImported } = column;
            const title = inReadingOrder(name) || `Column ${index + 1}`;
            return (
              <tr key={index} data-off={!isImported || undefined}>
                <td data-label="Column" data-lead>
                  <Checkbox
                    size="sm"
                    label={title}
                    aria-label={`Import ${title}`}
                    checked={isImported}
                    onChange={event => onEdit(column, { isImported: event.currentTarget.checked })}
                  />
                </td>
                <td data-label={into === 'collection' ? 'Field' : 'Column of the table'}>
                  <TextInput
                    size="xs"
                    aria-label={`Field of ${title}`}
                    disabled={!isImported}
                    spellCheck={false}
                    value={field}
                    onChange={event => onEdit(column, { field: event.currentTarget.value })}
                  />
                </td>
                <td data-label="Type">
                  {into === 'existing table' ? (
                    // The table decides it.
                    <span className="clip">{isImported ? type : ''}</span>
                  ) : (
                    <Select
                      size="xs"
                      aria-label={`Type of ${title}`}
                      data={into === 'new table' ? TABLE_TYPE_OPTIONS : CELL_TYPES}
                      allowDeselect={false}
                      disabled={!isImported}
                      value={type}
                      onChange={chosen => onEdit(column, { type: (chosen ?? 'text') as CellType })}
                    />
                  )}
                </td>
                <td data-label="First value">
                  <span className="clip">{exampleOf(column)}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {hidden > 0 && (
        <Button variant="default" size="xs" m="md" onClick={() => setShown(count => count + COLUMNS_AT_ONCE)}>
          Show {Math.min(COLUMNS_AT_ONCE, hidden)} more of {hidden.toLocaleString()}
        </Button>
      )}
    </ScrollFrame>
  );
}
