import { useUrlParams } from '../../../components/list/url-params.js';
import { ItemHistory } from './item-history.js';
import { ItemsTable } from './items-table.js';

interface ItemsViewProps {
  skriptId: string;
  /** Path of the list of items. */
  listHref: string;
  runHref: (executionId: string) => string;
}

/** The items of a skript, or the one that the address names. */
export default function ItemsView({ skriptId, listHref, runHref }: ItemsViewProps) {
  const itemKey = useUrlParams().get('item');
  if (itemKey !== '')
    return <ItemHistory key={itemKey} skriptId={skriptId} itemKey={itemKey} listHref={listHref} runHref={runHref} />;
  return <ItemsTable skriptId={skriptId} hrefOf={({ key }) => `${listHref}&${new URLSearchParams({ item: key })}`} />;
}
