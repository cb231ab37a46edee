import { Mark } from '@trawl/brand/mark';
import { type ReactNode, useEffect } from 'react';
import { Mesh } from './mesh.js';

/** Frame of the pages that need no session. `title` is the title of the browser tab. */
export function PublicPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Trawl`;
  }, [title]);
  return (
    <main className="login">
      <div className="login-sea">
        <Mesh />
        <p>Write a skript. Run it on any worker. See every line it says.</p>
      </div>
      <div className="login-form">
        <div className="login-column">
          <a className="login-brand" href="/" aria-label="Trawl’s website">
            <Mark />
            Trawl
          </a>
          {children}
        </div>
      </div>
    </main>
  );
}
