import { useEffect, useRef } from 'react';
import styles from './load-failure.module.css';

interface LoadFailureProps {
  onRetry: () => void;
  onClose: () => void;
}

/** Shown instead of the search dialog if its code failed to load. */
export function LoadFailure({ onRetry, onClose }: LoadFailureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className={styles.failure} aria-labelledby="search-failure" onClose={onClose}>
      <p id="search-failure">
        Search could not be loaded. Check the connection and try again; if that does not help, reload the page, because
        the site may have changed in the meantime.
      </p>
      <p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
