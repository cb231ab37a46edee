import { viewClient } from '@site/src/api-clients';
import CodeBlock from '@theme/CodeBlock';
import { useState } from 'react';
import styles from './open-api-file.module.css';

const PATH = '/openapi.yaml';

type View = { state: 'closed' | 'loading' } | { state: 'shown'; text: string } | { state: 'failed'; reason: string };

/** Shows openapi.yaml in place, fetched when somebody asks for it. */
export function OpenApiFile() {
  const [view, setView] = useState<View>({ state: 'closed' });
  const load = async () => {
    setView({ state: 'loading' });
    const { status, statusMessage, content } = await viewClient.html(new URL(PATH, window.location.origin));
    setView(
      status === 200
        ? { state: 'shown', text: String(content) }
        : { state: 'failed', reason: `${statusMessage}${status === 0 ? '' : ` (${status})`}` },
    );
  };
  if (view.state === 'shown') {
    return (
      <div className={styles.file}>
        <CodeBlock title="openapi.yaml">{view.text}</CodeBlock>
      </div>
    );
  }
  const isLoading = view.state === 'loading';
  return (
    <div className={styles.ask}>
      <button type="button" className="action action--quiet" onClick={load} disabled={isLoading} aria-busy={isLoading}>
        {view.state === 'failed' ? 'Try again' : isLoading ? 'Loading openapi.yaml…' : 'Show openapi.yaml here'}
      </button>
      <p role="status">
        {view.state === 'failed' &&
          `openapi.yaml could not be loaded: ${view.reason}. Check the connection and try again.`}
      </p>
    </div>
  );
}
