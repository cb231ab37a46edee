import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_PAUSE_MS = 300;

interface Search {
  isLoading: boolean;
  isPlaceholderData: boolean;
}

/** Returns whether the server has yet to answer a search. The choices are then those of an earlier one. */
export const isUnanswered = ({ isLoading, isPlaceholderData }: Search): boolean => isLoading || isPlaceholderData;

/** Text that the user types into a select, and the text to search for on the server: the same, once the typing pauses. */
export function useTypedSearch() {
  const [text, onSearch] = useState('');
  const typed = text.trim();
  const [searched] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  return { typed, onSearch, searched, isTyping: typed !== searched };
}
