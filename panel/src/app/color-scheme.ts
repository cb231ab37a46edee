import { localStorageColorSchemeManager } from '@mantine/core';

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'trawl-color-scheme' });

/**
 * Sets the colour scheme before the first paint. Mantine does so with an inline script, which the content security
 * policy blocks.
 */
export function applyColorScheme(): void {
  const chosen = colorSchemeManager.get('auto');
  const isDark = chosen === 'dark' || (chosen === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
