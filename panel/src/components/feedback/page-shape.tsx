import { Group, Skeleton, Stack } from '@mantine/core';

const LINE_WIDTHS = ['92%', '78%', '85%', '64%'];

interface PageShapeProps {
  /** Completes "Loading …", for screen readers. */
  what: string;
  /** Number of facts in the line at the top. */
  facts?: number;
  tabs?: number;
  /** Number of lines in the content below. */
  lines?: number;
}

interface BlocksProps {
  count: number;
  widths: (number | string)[];
}

const Blocks = ({ count, widths }: BlocksProps) =>
  Array.from({ length: count }, (_, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity but their place.
    <Skeleton key={place} height={14} width={widths[place % widths.length]} flex="none" />
  ));

/** Grey blocks where the facts, tabs and lines of a page will be, so that little moves when they have loaded. */
export const PageShape = ({ what, facts = 0, tabs = 0, lines = 8 }: PageShapeProps) => (
  <Stack gap="sm" aria-busy="true">
    <span className="visually-hidden">Loading {what}</span>
    {facts > 0 && (
      // Above tabs, facts have no frame.
      <Group
        className={tabs > 0 ? undefined : 'card'}
        gap={22}
        wrap="nowrap"
        px={tabs > 0 ? 0 : 'md'}
        py={tabs > 0 ? 4 : 13}
        style={{ overflow: 'hidden' }}
      >
        <Blocks count={facts} widths={[96, 72, 110]} />
      </Group>
    )}
    {tabs > 0 && (
      <Group gap={32} wrap="nowrap" px="sm" py={11} style={{ overflow: 'hidden' }}>
        <Blocks count={tabs} widths={[56, 44, 64]} />
      </Group>
    )}
    <Stack className="card" gap="md" p="md">
      <Blocks count={lines} widths={LINE_WIDTHS} />
    </Stack>
  </Stack>
);
