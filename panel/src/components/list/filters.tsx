import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useIsPhone } from './use-is-phone.js';

interface FiltersProps {
  /** Number of filters that are set. */
  set: number;
  children: ReactNode;
}

/** The filters of a list. On phones, where they would fill half of the screen, a button shows them. */
export function Filters({ set, children }: FiltersProps) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  if (!isPhone) return children;
  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setOpen(open => !open)}
      >
        {set === 0 ? 'Filters' : `Filters (${set} set)`}
      </Button>
      {isOpen && children}
    </>
  );
}
