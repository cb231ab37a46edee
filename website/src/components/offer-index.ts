import { usePluginData } from '@docusaurus/useGlobalData';
import type { OfferIndex } from '@site/content/offers';

/** Services in their groups, and industries: made of their files at build time. */
export const useOfferIndex = (): OfferIndex => usePluginData('offers') as OfferIndex;
