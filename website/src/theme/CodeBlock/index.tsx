import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './code-block.module.css';

interface CodeBlockProps {
  /** Code that plugins/highlighted-code.ts has coloured. */
  html?: string;
  title?: string;
  /** Plain text, where there is no `html`. */
  children?: ReactNode;
}

const COPIED_MS = 1500;

async function copy(text: string): Promise<void> {
  // Browsers have a clipboard only on https and on the machine itself.
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else (await import('copy-text-to-clipboard')).default(text);
}

export default function CodeBlock({ html, title, children }: CodeBlockProps) {
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  return (
    <div className={`theme-code-block ${styles.block}`}>
      {title && <div className={styles.title}>{title}</div>}
      <div className={styles.body}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
        <pre tabIndex={0}>
          {html === undefined ? (
            <code ref={code}>{children}</code>
          ) : (
            // biome-ignore lint/security/noDangerouslySetInnerHtml: made of this repository's own files at build time.
            <code ref={code} dangerouslySetInnerHTML={{ __html: html }} />
          )}
        </pre>
        <button
          type="button"
          className={styles.copy}
          aria-label={copied ? 'Copied' : 'Copy code'}
          onClick={() => copy(code.current?.textContent ?? '').then(() => setCopied(true))}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={copied ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'} />
          </svg>
        </button>
      </div>
    </div>
  );
}
