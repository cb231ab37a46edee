import { LIMITS, type PostgresRows } from '@trawl/contracts';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { bytesOf, fieldsOf, type Session } from '../sessions/session.js';
import type { HeldCursor } from './held-session.js';

/** Reads the next rows of a cursor: as many as the batch has, and as fit into one answer. */
export async function readPage(session: Session, held: HeldCursor): Promise<{ rows: PostgresRows; isLast: boolean }> {
  const rows: PostgresRows['rows'] = [];
  let bytes = 0;
  let isLast = false;
  let sent = 0;
  while (rows.length < held.batchSize) {
    if (sent === held.unsent.length) {
      held.unsent = await session.read(held.cursor);
      sent = 0;
      isLast = held.unsent.length === 0;
    }
    const row = held.unsent[sent];
    if (!row) break;
    bytes += bytesOf(row);
    if (bytes > LIMITS.storageOperationBytes) {
      if (rows.length > 0) break;
      await session.close(held.cursor);
      throw new StorageFailure(
        'storage_too_large',
        `A row exceeds ${LIMITS.storageOperationBytes} bytes. Select fewer of its columns.`,
      );
    }
    rows.push(row);
    sent += 1;
  }
  held.unsent = held.unsent.slice(sent);
  return { rows: { fields: fieldsOf(held.cursor), rows }, isLast };
}
