const KEY = 'trawl-reloaded';

/** The build that runs, and what it could not show. */
const failedHere = (): string =>
  `${document.querySelector<HTMLScriptElement>('script[type="module"]')?.src} ${window.location.pathname}`;

/** True once for a build and an address: a reload that changed nothing would change nothing the next time either. */
export function mayReload(): boolean {
  if (sessionStorage.getItem(KEY) === failedHere()) return false;
  sessionStorage.setItem(KEY, failedHere());
  return true;
}

/** Whether a reload would find the panel; one that does not would leave the browser's own page of failure. */
export const isPanelThere = (): Promise<boolean> =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

export const reload = (): void => window.location.reload();
