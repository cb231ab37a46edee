import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import { howtoPage } from './howto-page.js';

interface HowtoFrameProps {
  title: string;
  /** Content of howto.md or howto.html. */
  howto: string;
  isMarkdown: boolean;
}

/**
 * Shows the howto of a skript in a frame of its own origin. The frame runs no scripts and cannot reach the panel; its
 * links open another tab.
 * See docs/decisions/0292-howto-in-a-frame-without-origin.md.
 */
export default function HowtoFrame({ title, howto, isMarkdown }: HowtoFrameProps) {
  const scheme = useComputedColorScheme();
  const page = useMemo(() => howtoPage(howto, isMarkdown, scheme), [howto, isMarkdown, scheme]);
  return (
    <iframe
      className="howto"
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={page}
    />
  );
}
