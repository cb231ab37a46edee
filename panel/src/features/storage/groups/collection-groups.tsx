import { queryOptions, useQuery } from '@tanstack/react-query';
import { documentsKey } from '../../../api/storage-keys.js';
import { type GroupSettings, groupBody, groupSettingsFrom } from '../../../components/group/group-settings.js';
import { loadCollectionGroups } from '../../../components/group/load-groups.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { FilterBar } from '../../../components/mongo-filter/filter-bar.js';
import { urlFilter } from '../../../components/mongo-filter/url-filter.js';
import { useFieldShares } from '../api/list-documents.js';
import { GroupsView } from './groups-view.js';

/** An ObjectId says when its document was added. */
const ADDED_BY_DAY: GroupSettings = { by: '_id', every: 'day', of: '' };

const groupsQuery = (databaseId: string, collection: string, settings: GroupSettings, filter: string | undefined) =>
  queryOptions({
    queryKey: documentsKey(databaseId, collection, 'groups', settings, filter),
    queryFn: ({ signal }) => loadCollectionGroups(databaseId, collection, { ...groupBody(settings), filter }, signal),
    retry: false,
  });

interface CollectionGroupsProps {
  databaseId: string;
  collection: string;
  exportHref: string;
}

/** The documents of a collection in groups, at first by the day on which they were added. */
export function CollectionGroups({ databaseId, collection, exportHref }: CollectionGroupsProps) {
  const params = useUrlParams();
  const settings = groupSettingsFrom(params.get) ?? ADDED_BY_DAY;
  const { filter, bar } = urlFilter(params);
  const fields = [...(useFieldShares(databaseId, collection, filter).data?.filled.keys() ?? [])];
  return (
    <GroupsView
      settings={settings}
      query={useQuery(groupsQuery(databaseId, collection, settings, filter))}
      fields={fields}
      exportHref={exportHref}
      filter={<FilterBar {...bar} fields={fields} />}
    />
  );
}
