import { type ComboboxItem, type ComboboxItemGroup, Select, type SelectProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { isMissing } from '../feedback/load-failure.js';

const TYPING_PAUSE_MS = 300;

export interface SearchSelectProps extends Omit<SelectProps, 'data' | 'searchable' | 'filter' | 'onSearchChange'> {
  choices: (ComboboxItem | ComboboxItemGroup<ComboboxItem>)[];
  /** The chosen item. It is needed if `choices` may lack it. */
  chosen?: ComboboxItem;
  /** Called when the user stops typing. If it is missing, the choices are filtered here. */
  onSearch?: (text: string) => void;
  /** The caller filters the choices without the server: `onSearch` is called at once. */
  isLocal?: boolean;
  /** The request for the choices. If it failed, the field shows an error, and requests them again when the user opens it. */
  source?: Source;
  /** Noun for one of the choices, such as `worker`, if `choices` has all of them: any other value is then an error. */
  noun?: string;
}

interface Source {
  data?: unknown;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

/** Returns the error of a field whose value, such as one from the address, is none of the choices. */
export const noSuch = (noun: string): string => `There is no such ${noun}. Choose another.`;

const FAILED = 'The choices could not be loaded.';

/**
 * Returns the properties of a field whose choices could not be loaded. The user did nothing wrong, so it is not marked
 * as invalid. If what the choices depend on is missing, another field shows the error.
 */
export const failedProps = ({ error, refetch }: Source) =>
  error &&
  !isMissing(error) && { description: `${FAILED} Open the list to try again.`, onDropdownOpen: () => void refetch() };

/** Keeps Enter, which chooses an option, from also submitting the form around the field. */
export const keepForm = (event: KeyboardEvent): void => {
  if (event.key === 'Enter') event.preventDefault();
};

/**
 * A select with a search. The chosen text is selected whenever the user comes to the field, so that typing replaces it.
 * With Mantine's own, typing appends to the chosen text and finds nothing.
 */
export function SearchSelect(allProps: SearchSelectProps) {
  const { choices, chosen, onSearch, isLocal = false, source, noun, ...props } = allProps;
  const failed = source && failedProps(source);
  const input = useRef<HTMLInputElement>(null);
  const reportLater = useDebouncedCallback((text: string) => onSearch?.(text), TYPING_PAUSE_MS);
  const report = isLocal ? onSearch : reportLater;
  const items = choices.flatMap(one => ('items' in one ? one.items : [one]));
  const data = chosen && !items.some(({ value }) => value === chosen.value) ? [...choices, chosen] : choices;
  const label = [...items, chosen].find(item => item?.value === props.value)?.label;
  const isUnknown = props.value && label === undefined && source?.data !== undefined;
  const selectChosen = () => {
    const field = input.current;
    if (field && document.activeElement === field && field.value === label) field.select();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new choice selects its text.
  useEffect(() => {
    // Mantine writes the new text into the field after this effect.
    const timer = setTimeout(selectChosen);
    return () => clearTimeout(timer);
  }, [label]);
  return (
    <Select
      ref={input}
      searchable
      // Until the server has answered, the first option need not match the text.
      selectFirstOptionOnChange={!onSearch}
      data={data}
      // Show all options if the server has already filtered them.
      filter={onSearch && (({ options }) => options)}
      // A search for the chosen text itself would hide all other choices.
      onSearchChange={text => report?.(text === label ? '' : text)}
      onFocus={selectChosen}
      // A click ends the selection after its event.
      onClick={() => setTimeout(selectChosen)}
      onKeyDown={keepForm}
      {...props}
      error={noun && isUnknown ? noSuch(noun) : props.error}
      {...(failed && {
        ...failed,
        description: props.label && failed.description,
        nothingFoundMessage: FAILED,
      })}
    />
  );
}
