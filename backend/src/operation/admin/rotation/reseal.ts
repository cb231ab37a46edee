import type { Client } from 'pg';
import Cursor from 'pg-cursor';
import type { SecretBox } from '../../../platform/common/secret-box.service.js';
import type { SealedValues } from './sealed-values.js';

const BATCH = 200;

interface SealedRow {
  key: string;
  row_id: string;
  sealed: Buffer;
}

export interface Outcome {
  /** Values that were encrypted with the previous secret. */
  resealed: number;
  /** Values that neither secret decrypts. */
  unreadable: number;
}

/**
 * Encrypts all values of one kind with the secret in use, if they are encrypted with the other one. A value that changes
 * meanwhile stays as it is: a backend has just written it.
 * @param reader a connection for a cursor, which sees the rows as they are now
 * @param writer another connection
 */
export async function reseal(
  reader: Client,
  writer: Client,
  { read, write }: SealedValues,
  box: SecretBox,
): Promise<Outcome> {
  const outcome: Outcome = { resealed: 0, unreadable: 0 };
  const cursor = reader.query(new Cursor<SealedRow>(read));
  try {
    for (let rows = await cursor.read(BATCH); rows.length > 0; rows = await cursor.read(BATCH)) {
      for (const { key, row_id, sealed } of rows) {
        if (box.isCurrent(sealed, row_id)) continue;
        const text = opened(box, sealed, row_id);
        if (text === null) {
          outcome.unreadable += 1;
          continue;
        }
        await writer.query(write, [key, sealed, box.seal(text, row_id)]);
        outcome.resealed += 1;
      }
    }
    return outcome;
  } finally {
    await cursor.close();
  }
}

function opened(box: SecretBox, sealed: Buffer, rowId: string): string | null {
  try {
    return box.open(sealed, rowId);
  } catch {
    return null;
  }
}
