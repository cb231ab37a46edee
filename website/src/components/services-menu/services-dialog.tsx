import Link from '@docusaurus/Link';
import { useOfferIndex } from '@site/src/components/site/offer-index';
import { opensElsewhere } from '@site/src/components/site/opens-elsewhere';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import styles from './services-dialog.module.css';

interface ServicesDialogProps {
  /** Title of the dialog. */
  label: string;
  /** The page that lists all services. */
  to: string;
  onClose: () => void;
  /** Called when the visitor follows a link. */
  onFollow: () => void;
}

/** Modal dialog with all services by group. */
export function ServicesDialog({ label, to, onClose, onFollow }: ServicesDialogProps) {
  const { services } = useOfferIndex();
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const follow = (event: MouseEvent) => {
    if (!(event.target as Element).closest('a') || opensElsewhere(event)) return;
    dialog.current?.close();
    onFollow();
  };
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="services-dialog-title"
      onClose={onClose}
      onClick={event => event.target === dialog.current && dialog.current.close()}
      onKeyDown={keepFocusInside}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it listens for its links. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link followed by key clicks too. */}
      <div className={styles.inside} onClick={follow}>
        <div className={styles.bar}>
          <h2 id="services-dialog-title">{label}</h2>
          <Link to={to}>All {label.toLowerCase()}</Link>
          <button type="button" className={styles.close} aria-label="Close" onClick={() => dialog.current?.close()}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M3 3l10 10M13 3L3 13" />
            </svg>
          </button>
        </div>
        <div className={styles.groups}>
          {services.map(({ id, title, links }) => (
            <section key={id} aria-labelledby={`services-${id}`}>
              <h3 id={`services-${id}`}>{title}</h3>
              <ul>
                {links.map(({ name, to: service }) => (
                  <li key={service}>
                    <Link to={service}>{name}</Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </dialog>
  );
}

/**
 * Keeps the Tab key inside the dialog: from the last link the focus moves to the first, and with Shift+Tab from the
 * first to the last. Otherwise the focus would leave the page for the toolbars of the browser.
 */
function keepFocusInside(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Tab') return;
  const stops = event.currentTarget.querySelectorAll<HTMLElement>('a[href], button');
  const [first, last] = [stops[0], stops[stops.length - 1]];
  const leaves = event.shiftKey ? first : last;
  if (document.activeElement !== leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
