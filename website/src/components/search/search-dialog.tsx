import Link from '@docusaurus/Link';
import { useHistory } from '@docusaurus/router';
import { viewClient } from '@site/src/api-clients';
import { opensElsewhere } from '@site/src/components/site/opens-elsewhere';
import type { SearchEntry } from '@site/src/plugins/output/search-index';
import { Fragment, type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Hit, markedParts, type Search, searchIn } from './search';
import styles from './search-dialog.module.css';

const INDEX_PATH = '/search-index.json';
const NO_INDEX =
  process.env.NODE_ENV === 'development'
    ? 'the development server has no search index'
    : 'the response is not an index';

type Index = { state: 'loading' } | { state: 'failed'; reason: string } | { state: 'ready'; search: Search };

let loaded: Search | undefined;

function useIndex(): [Index, () => void] {
  const [index, setIndex] = useState<Index>(loaded ? { state: 'ready', search: loaded } : { state: 'loading' });
  const load = useCallback(async () => {
    setIndex({ state: 'loading' });
    const { status, statusMessage, content } = await viewClient.json(new URL(INDEX_PATH, window.location.origin));
    if (status !== 200) return setIndex({ state: 'failed', reason: statusMessage });
    if (!Array.isArray(content)) return setIndex({ state: 'failed', reason: NO_INDEX });
    loaded = searchIn(content as SearchEntry[]);
    setIndex({ state: 'ready', search: loaded });
  }, []);
  useEffect(() => {
    if (!loaded) void load();
  }, [load]);
  return [index, load];
}

const Marked = ({ text, words }: { text: string; words: string[] }) =>
  markedParts(text, words).map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other key.
    place % 2 === 1 ? <mark key={place}>{part}</mark> : <Fragment key={place}>{part}</Fragment>,
  );

/** Search dialog. It loads the search index when it opens. */
export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const history = useHistory();
  const [index, reload] = useIndex();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const words = query.trim();
  const hits = useMemo<Hit[]>(() => (index.state === 'ready' && words ? index.search(words) : []), [index, words]);
  const optionId = (place: number) => `${list}-${place}`;

  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // Closing the dialog element also returns the focus to where it was before.
  const close = () => dialog.current?.close();

  const choose = (place: number) => {
    const next = (place + hits.length) % hits.length;
    setChosen(next);
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const hit = hits[chosen];
    if (!hit) return;
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') {
      close();
      history.push(hit.to);
    } else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: mouse users close it by clicking outside; keyboard users press Escape.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Search this site"
      onClose={onClose}
      onClick={event => event.target === dialog.current && close()}
    >
      <div className={styles.head}>
        <input
          type="text"
          enterKeyHint="search"
          role="combobox"
          aria-label="Search this site"
          aria-expanded={hits.length > 0}
          aria-controls={list}
          aria-activedescendant={hits.length > 0 ? optionId(chosen) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Search docs and pages"
          value={query}
          onChange={event => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <p className={styles.note} role="status">
        {index.state === 'loading' && words && 'Loading…'}
        {index.state === 'failed' && `The search could not be loaded: ${index.reason}.`}
        {index.state === 'ready' && words && (hits.length === 0 ? `No results for “${words}”.` : resultCount(hits))}
        {index.state === 'failed' && (
          <button type="button" onClick={reload}>
            Try again
          </button>
        )}
      </p>
      <div className={styles.hits} id={list} role="listbox" aria-label="Search results">
        {hits.map((hit, place) => (
          <Link
            key={`${hit.to} ${hit.heading}`}
            id={optionId(place)}
            role="option"
            aria-selected={place === chosen}
            tabIndex={-1}
            to={hit.to}
            className={styles.hit}
            onClick={event => opensElsewhere(event) || close()}
            onMouseMove={() => setChosen(place)}
          >
            <b>
              <Marked text={hit.heading} words={hit.words} />
            </b>
            <span className={styles.page}>{hit.isPage ? hit.to : hit.page}</span>
            <span className={styles.excerpt}>
              <Marked text={hit.excerpt} words={hit.words} />
            </span>
          </Link>
        ))}
      </div>
    </dialog>
  );
}

const resultCount = ({ length }: Hit[]): string => (length === 1 ? 'One result' : `${length} results, best first`);
