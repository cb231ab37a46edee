import { lazy, Suspense, useEffect, useState } from 'react';
import styles from './search-bar.module.css';

const SearchDialog = lazy(() => import('@site/src/components/search/search-dialog'));

/** The button in the bar. Search itself is loaded when it is first asked for: by a press, Ctrl K, Cmd K or `/`. */
export default function SearchBar() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest?.('input, textarea, select, [contenteditable]');
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
      if (!isShortcut && (event.key !== '/' || isTyping || document.querySelector('dialog[open]'))) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        onClick={() => setOpen(true)}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.8" />
          <path d="m12.8 12.8 4.2 4.2" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
        </svg>
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
