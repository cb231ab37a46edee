import { useSkriptTitles } from '../../api/requests/skript-titles.js';
import { collectionTitle, keptCollection } from '../values/kept-collections.js';

/** Returns a function that names these collections as people read them. */
export function useCollectionTitles(collections: readonly string[]): (collection: string) => string {
  const titleOf = useSkriptTitles({ isWanted: collections.some(name => keptCollection(name) !== null) });
  return collection => collectionTitle(collection, titleOf);
}
