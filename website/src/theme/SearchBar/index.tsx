import { useCallback, useEffect, useState } from 'react';
import { LoadFailure } from './load-failure';
import styles from './search-bar.module.css';

type SearchDialog = typeof import('@site/src/components/search/search-dialog').default;

/** Search button in the navigation bar. The search loads on first use: a click, Ctrl K, Cmd K or `/`. */
export default function SearchBar() {
  const [state, setState] = useState<'closed' | 'open' | 'failed'>('closed');
  const [Dialog, setDialog] = useState<SearchDialog>();
  const close = () => setState('closed');
  const open = useCallback(async () => {
    setState('closed');
    try {
      const { default: loaded } = await import('@site/src/components/search/search-dialog');
      setDialog(() => loaded);
      setState('open');
    } catch {
      // Loading failed because of the network or because of a newer build of the site. The message mentions both.
      setState('failed');
    }
  }, []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest?.('input, textarea, select, [contenteditable]');
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
      if (!isShortcut && (event.key !== '/' || isTyping)) return;
      event.preventDefault();
      // Do not open the search while another dialog is open.
      if (!document.querySelector('dialog[open]')) void open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
  return (
    <>
      <button type="button" className={styles.button} onClick={open} aria-keyshortcuts="Control+K Meta+K">
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.8" />
          <path d="m12.8 12.8 4.2 4.2" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
        </svg>
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      {state === 'open' && Dialog && <Dialog onClose={close} />}
      {state === 'failed' && <LoadFailure onRetry={open} onClose={close} />}
    </>
  );
}
