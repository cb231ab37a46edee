import '../../../styles/runs/changes.css';
import { Button } from '@mantine/core';
import type { ChangeKind } from '@trawl/contracts';
import type { ListParams } from '../../../components/list/list-params.js';

interface KindFilterProps<Kind extends ChangeKind> {
  params: ListParams;
  kinds: readonly Kind[];
  counts: Record<Kind, number>;
}

/** The kind in the address; undefined for all kinds. */
export const chosenKind = <Kind extends ChangeKind>(params: ListParams, kinds: readonly Kind[]): Kind | undefined =>
  kinds.find(kind => kind === params.get('kind'));

/** The number of changes of each kind. A click shows only those, and a second one all again. */
export function KindFilter<Kind extends ChangeKind>({ params, kinds, counts }: KindFilterProps<Kind>) {
  const chosen = chosenKind(params, kinds);
  return (
    <fieldset className="change-counts">
      <legend className="visually-hidden">Kind of change</legend>
      {kinds.map(kind => (
        <Button
          key={kind}
          size="compact-sm"
          variant={kind === chosen ? 'filled' : 'default'}
          aria-pressed={kind === chosen}
          onClick={() => params.set({ kind: kind === chosen ? null : kind })}
        >
          {counts[kind].toLocaleString('en-GB')} {kind}
        </Button>
      ))}
    </fieldset>
  );
}
