import { Button } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { MongoDocument } from '../../../api/entities.js';
import type { Column } from '../../../components/list/data-table.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { CellValue } from '../cell-value.js';
import { cellText, fieldOf } from '../document-columns.js';

/** Number of fields besides the first that phones show of a closed row. */
const BRIEF_FIELDS = 2;

export const idOf = (document: MongoDocument): string => JSON.stringify(document._id);

/** A column for a field. The prefix of its key is for a field called "json" or "select". */
export const fieldColumn = (
  field: string,
  position: number,
  heading: ReactNode,
  lead: boolean,
): Column<MongoDocument> => ({
  key: `field ${field}`,
  title: inReadingOrder(field),
  sortBy: field,
  lead,
  brief: position <= BRIEF_FIELDS,
  named: true,
  heading,
  render: document => <CellValue value={fieldOf(document, field)} mono={field === '_id'} />,
});

/** The column of buttons that open a document. */
export const jsonColumn = (onOpen: (id: string) => void): Column<MongoDocument> => ({
  key: 'json',
  title: 'JSON',
  actions: true,
  render: document => (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconBraces size={14} aria-hidden />}
      onClick={() => onOpen(idOf(document))}
      aria-label={`Open ${cellText(document._id)}`}
    >
      Open
    </Button>
  ),
});
