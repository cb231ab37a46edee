import type { PanelSection } from '@trawl/contracts';
import { useCallback } from 'react';
import { useParams } from 'react-router';

/** Returns a function that builds the path of a section for the role in the current URL. */
export function usePanelPath(): (section: PanelSection, rest?: string) => string {
  const { role = '' } = useParams();
  return useCallback((section, rest = '') => `/${role}/${section}${rest}`, [role]);
}
