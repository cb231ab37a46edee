import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScrollEdges } from './use-scroll-edges.js';

/** The row of tabs above a screen. On phones it scrolls, and edges behind which there are more tabs fade out. */
export function TabList({ children, mb = 'md' }: { children: ReactNode; mb?: number | string }) {
  return (
    <Tabs.List ref={useScrollEdges<HTMLDivElement>()} mb={mb}>
      {children}
    </Tabs.List>
  );
}
