import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

/** Keep it in step with `.bounded` in styles/lists/details.css. */
const MAX_HEIGHT_PX = 360;

/** Content of any height. Tall content scrolls in a frame, so that what follows stays in reach, and can be opened. */
export function Bounded({ label, children }: { label: string; children: ReactNode }) {
  const { ref, height } = useElementSize();
  const [isOpen, setOpen] = useState(false);
  const isTall = height > MAX_HEIGHT_PX;
  return (
    <>
      <section
        className="bounded"
        data-open={isOpen || undefined}
        aria-label={label}
        // The keyboard scrolls the frame.
        tabIndex={isTall && !isOpen ? 0 : undefined}
      >
        <div ref={ref}>{children}</div>
      </section>
      {isTall && (
        <Button
          size="compact-sm"
          variant="subtle"
          mt="xs"
          aria-expanded={isOpen}
          onClick={() => setOpen(open => !open)}
        >
          {isOpen ? 'Show less' : 'Show in full'}
        </Button>
      )}
    </>
  );
}
