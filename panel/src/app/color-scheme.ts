import { localStorageColorSchemeManager } from '@mantine/core';

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'trawl-color-scheme' });

/**
 * Decides the scheme before anything is drawn. Mantine's own way is an inline script, which the content security
 * policy refuses.
 */
export function applyColorScheme(): void {
  const chosen = colorSchemeManager.get('auto');
  const isDark = chosen === 'dark' || (chosen === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
