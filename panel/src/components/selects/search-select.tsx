import { type ComboboxItem, type ComboboxItemGroup, Select, type SelectProps } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { isMissing } from '../feedback/load-failure.js';

type OwnProps =
  | 'data'
  | 'searchable'
  | 'filter'
  | 'searchValue'
  | 'onSearchChange'
  | 'onOptionSubmit'
  | 'allowDeselect';

export interface SearchSelectProps extends Omit<SelectProps, OwnProps> {
  choices: (ComboboxItem | ComboboxItemGroup<ComboboxItem>)[];
  /** The chosen item. It is needed if `choices` may lack it. */
  chosen?: ComboboxItem;
  /** Called with the text that the user types; empty while it is that of the chosen item. */
  onSearch?: (text: string) => void;
  /** True until `choices` has what the server found for the text. */
  isSearching?: boolean;
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
 * A select that lists the items whose label contains the typed text. Enter chooses the first of them, or the one that the
 * user points at. The chosen text is selected whenever the user comes to the field, so that typing replaces it. With
 * Mantine's own, typing appends to the chosen text and finds nothing.
 */
export function SearchSelect(allProps: SearchSelectProps) {
  const { choices, chosen, onSearch, isSearching = false, source, noun, ...props } = allProps;
  const failed = source && failedProps(source);
  const input = useRef<HTMLInputElement>(null);
  const items = choices.flatMap(one => ('items' in one ? one.items : [one]));
  const data = chosen && !items.some(({ value }) => value === chosen.value) ? [...choices, chosen] : choices;
  const label = [...items, chosen].find(item => item?.value === props.value)?.label;
  const isUnknown = props.value && label === undefined && source?.data !== undefined;
  const [text, setText] = useState(label ?? '');
  const type = (next: string) => {
    setText(next);
    // A search for the chosen text itself would hide all other choices.
    onSearch?.(next === label ? '' : next);
  };
  // Mark the first match once for each list. Mantine would also mark one after the user has emptied the field.
  const listed = JSON.stringify([text, isSearching]);
  const [marked, setMarked] = useState(listed);
  useEffect(() => setMarked(listed), [listed]);
  const selectChosen = () => {
    const field = input.current;
    if (field && document.activeElement === field && field.value === label) field.select();
  };
  /** Writes the text of the chosen item back into the field. Mantine does so only for another item. */
  const keepChosen = () => {
    type(label ?? '');
    setTimeout(selectChosen);
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
      // Enter on the chosen item keeps it.
      allowDeselect={false}
      selectFirstOptionOnChange={listed !== marked && text.trim() !== '' && text !== label}
      data={data}
      searchValue={text}
      onSearchChange={type}
      onOptionSubmit={value => value === props.value && keepChosen()}
      onFocus={selectChosen}
      // A click ends the selection after its event.
      onClick={() => setTimeout(selectChosen)}
      onKeyDown={keepForm}
      {...props}
      nothingFoundMessage={isSearching ? 'Searching…' : props.nothingFoundMessage}
      error={noun && isUnknown ? noSuch(noun) : props.error}
      {...(failed && {
        ...failed,
        description: props.label && failed.description,
        nothingFoundMessage: FAILED,
      })}
    />
  );
}
