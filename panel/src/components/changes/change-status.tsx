import type { ChangeKind } from '@trawl/contracts';
import { Status } from '../values/status.js';

const TONES = { added: 'ok', changed: 'live', gone: 'warn', back: 'ok' } as const satisfies Record<ChangeKind, string>;

/** How a row or item has changed, in a word. */
export const ChangeStatus = ({ kind }: { kind: ChangeKind }) => (
  <Status tone={TONES[kind]} label={kind} hollow={kind === 'gone'} />
);
