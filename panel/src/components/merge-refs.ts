import { useMergedRef } from '@mantine/hooks';
import type { Ref } from 'react';

/** Stands in for `useMergeRefs` of Floating UI in the build (see `vite.config.ts`). */
export const useMergeRefs = <T>(refs: Ref<T>[]) => useMergedRef(...refs);
