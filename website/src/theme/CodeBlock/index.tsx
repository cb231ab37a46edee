import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './code-block.module.css';

interface CodeBlockProps {
  /** Code as HTML, highlighted by plugins/remark/highlighted-code.ts. */
  html?: string;
  title?: string;
  /** Plain text, if there is no `html`. */
  children?: ReactNode;
}

const COPIED_MS = 1500;

async function copy(text: string): Promise<boolean> {
  // Browsers offer the clipboard only on https and localhost, so use a library elsewhere.
  if (!navigator.clipboard) return (await import('copy-text-to-clipboard')).default(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    // The browser or the reader denied access to the clipboard. The caller tells the reader.
    () => false,
  );
}

const WORDS = { idle: 'Copy code', copied: 'Copied', refused: 'Could not copy. The code is selected.' };

export default function CodeBlock({ html, title, children }: CodeBlockProps) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState<keyof typeof WORDS>('idle');
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('idle'), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copyAll = async () => {
    const element = code.current;
    if (!element) return;
    const isCopied = await copy(element.textContent);
    if (!isCopied) getSelection()?.selectAllChildren(element);
    setState(isCopied ? 'copied' : 'refused');
  };

  const button = (
    <button type="button" className={styles.copy} aria-label={WORDS[state]} onClick={() => void copyAll()}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={state === 'copied' ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'} />
      </svg>
    </button>
  );

  return (
    <div className={`theme-code-block ${styles.block}`}>
      {title && (
        <div className={styles.title}>
          {title}
          {button}
        </div>
      )}
      <div className={styles.body}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
        <pre tabIndex={0}>
          {html === undefined ? (
            <code ref={code}>{children}</code>
          ) : (
            // biome-ignore lint/security/noDangerouslySetInnerHtml: the build creates it from files of this repository.
            <code ref={code} dangerouslySetInnerHTML={{ __html: html }} />
          )}
        </pre>
        {!title && button}
      </div>
      {state === 'refused' && (
        <p className={styles.refused} role="status">
          {WORDS.refused}
        </p>
      )}
    </div>
  );
}
