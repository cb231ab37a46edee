import { usePluginData } from '@docusaurus/useGlobalData';
import type { OfferIndex } from '@site/content/offers';

/** The services by group, and the industries. The build creates them from their files. */
export const useOfferIndex = (): OfferIndex => usePluginData('offers') as OfferIndex;
