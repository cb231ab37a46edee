import type { Plugin } from '@docusaurus/types';
import { offerIndex } from '../../content/offers';

/** Gives menus and lists the index of services and industries, which their files make; see content/offers.ts. */
export function offers(): Plugin {
  return {
    name: 'offers',
    contentLoaded: async ({ actions }) => actions.setGlobalData(offerIndex()),
    getPathsToWatch: () => ['src/pages/services/*.mdx', 'src/pages/industries/*.mdx'],
  };
}
