import { conditionsFrom, conditionsText, filterText } from './conditions.js';

interface UrlParams {
  get: (name: string) => string;
  set: (changes: Record<string, string | null>) => void;
}

/** Reads the filter of a collection from the URL. Returns it, and the props by which `FilterBar` changes it. */
export function urlFilter(params: UrlParams) {
  const conditions = conditionsFrom(params.get('where'));
  const written = params.get('filter');
  return {
    filter: filterText(conditions, written),
    bar: {
      conditions,
      onConditions: (chosen: typeof conditions) => params.set({ where: conditionsText(chosen) }),
      written,
      onWritten: (text: string | null) => params.set({ filter: text }),
    },
  };
}
