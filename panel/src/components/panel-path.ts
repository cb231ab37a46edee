import type { PanelSection } from '@trawl/contracts';
import { useParams } from 'react-router';

/** Addresses of sections for the role that is in the address now. */
export function usePanelPath(): (section: PanelSection, rest?: string) => string {
  const { role = '' } = useParams();
  return (section, rest = '') => `/${role}/${section}${rest}`;
}
