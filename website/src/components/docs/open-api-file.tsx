import { viewClient } from '@site/src/api-clients';
import CodeBlock from '@theme/CodeBlock';
import { useState } from 'react';
import styles from './open-api-file.module.css';

const PATH = '/openapi.yaml';

type View = { state: 'closed' | 'loading' } | { state: 'shown'; text: string } | { state: 'failed'; reason: string };

/** Loads and shows openapi.yaml on request. */
export function OpenApiFile() {
  const [view, setView] = useState<View>({ state: 'closed' });
  const load = async () => {
    setView({ state: 'loading' });
    const { status, statusMessage, content } = await viewClient.html(new URL(PATH, window.location.origin));
    const text = String(content);
    if (status !== 200) setView({ state: 'failed', reason: `${statusMessage}${status === 0 ? '' : ` (${status})`}` });
    // The development server does not have the file and answers with an HTML page instead.
    else if (!text.startsWith('openapi:')) setView({ state: 'failed', reason: 'the response is not openapi.yaml' });
    else setView({ state: 'shown', text });
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
