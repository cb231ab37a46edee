const KEY = 'trawl-reloaded';

/** Returns a text that identifies the running build of the panel and the current page, whose code failed to load. */
const failedHere = (): string =>
  `${document.querySelector<HTMLScriptElement>('script[type="module"]')?.src} ${window.location.pathname}`;

/** Returns true the first time for a build and page, and then false. This prevents endless reloads. */
export function mayReloadOnce(): boolean {
  if (sessionStorage.getItem(KEY) === failedHere()) return false;
  sessionStorage.setItem(KEY, failedHere());
  return true;
}

/** Resolves with true if the server answers. Otherwise a reload would end on the browser's error page. */
export const isServerUp = (): Promise<boolean> =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

export const reload = (): void => window.location.reload();
