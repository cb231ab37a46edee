import { useMediaQuery } from '@mantine/hooks';

/** Says whether the window is as narrow as those for which the style sheets stack the cells of a row. */
export const useIsPhone = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
