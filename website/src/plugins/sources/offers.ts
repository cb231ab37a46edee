import type { Plugin } from '@docusaurus/types';
import { offerIndex } from '../../../content/offers';

/** Publishes the index of offers as global data for menus and lists; see content/offers.ts. */
export function offers(): Plugin {
  return {
    name: 'offers',
    contentLoaded: async ({ actions }) => actions.setGlobalData(offerIndex()),
    getPathsToWatch: () => ['src/pages/services/*.mdx', 'src/pages/industries/*.mdx'],
  };
}
