import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { ComponentProps } from 'react';

const sea: MantineColorsTuple = [
  '#e3f6f4',
  '#c8ece8',
  '#98dbd4',
  '#64c8be',
  '#3cc9bd',
  '#1aa79b',
  '#0e938a',
  '#0b7f77',
  '#096a63',
  '#06504b',
];
const buoy: MantineColorsTuple = [
  '#fff0ea',
  '#ffddd0',
  '#ffb99f',
  '#ff966f',
  '#ff7a4d',
  '#ec5c2d',
  '#d9481c',
  '#bf3a12',
  '#a3300e',
  '#7f260b',
];
const gray: MantineColorsTuple = [
  '#f4f7f8',
  '#eaf0f2',
  '#d6e0e4',
  '#c2cfd5',
  '#a3b4bc',
  '#7f939d',
  '#4a616d',
  '#3c525d',
  '#243c48',
  '#0b1f2a',
];
const dark: MantineColorsTuple = [
  '#e6eef2',
  '#c3d2d9',
  '#9bb1bc',
  '#64808d',
  '#2c4c5a',
  '#1d3a47',
  '#12303d',
  '#0e2530',
  '#081820',
  '#05121a',
];
const yellow: MantineColorsTuple = [
  '#fdf8ea',
  '#fbf0d3',
  '#f3d78f',
  '#f6c453',
  '#f0b440',
  '#c98a0a',
  '#a87000',
  '#8a5a00',
  '#6f4800',
  '#553700',
];
const red: MantineColorsTuple = [
  '#fef5f4',
  '#fcebe9',
  '#f5aca6',
  '#ff8a80',
  '#ec6a60',
  '#d6483d',
  '#c43329',
  '#b3261e',
  '#951d17',
  '#761712',
];

/** The head of a dialog is no second banner of the page. */
const DIALOG_ATTRIBUTES = { header: { role: 'presentation' } };

/** Empties a file input before its dialog opens. Otherwise, browsers report nothing if the user chooses the same file. */
const EMPTIED_INPUT: ComponentProps<'input'> = {
  onClick: ({ currentTarget }) => {
    currentTarget.value = '';
  },
};

export const theme = createTheme({
  colors: { sea, buoy, gray, dark, yellow, red },
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.22,
  black: '#0b1f2a',
  fontFamily: 'var(--trawl-font-text)',
  fontFamilyMonospace: 'var(--trawl-font-code)',
  headings: { fontFamily: 'var(--trawl-font-heading)', fontWeight: '620' },
  defaultRadius: 7,
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm', variant: 'filled' } },
    Modal: {
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 }, attributes: DIALOG_ATTRIBUTES },
    },
    Drawer: { defaultProps: { attributes: DIALOG_ATTRIBUTES } },
    // Menus and lists of choices are part of the page's main landmark. At the end of the body they would be in none.
    Popover: { defaultProps: { portalProps: { target: '#content' } } },
    // The placeholder can be focused, which nothing in a menu but its items may be.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close the message' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    // `FileInput` contains a `FileButton`.
    FileButton: { defaultProps: { inputProps: EMPTIED_INPUT } },
    Select: { defaultProps: { checkIconPosition: 'right' } },
  },
});

/** Maps the brand's colours to Mantine's variables. */
export const cssVariables: CSSVariablesResolver = () => {
  const surfaces = {
    '--mantine-color-body': 'var(--trawl-paper)',
    '--mantine-color-text': 'var(--trawl-ink)',
    '--mantine-color-dimmed': 'var(--trawl-muted)',
    '--mantine-color-default': 'var(--trawl-paper)',
    '--mantine-color-default-border': 'var(--trawl-line)',
    '--mantine-color-default-color': 'var(--trawl-ink)',
    '--mantine-color-default-hover': 'var(--trawl-surface)',
    '--mantine-color-placeholder': 'var(--trawl-muted)',
    '--mantine-color-error': 'var(--trawl-error)',
    '--mantine-color-anchor': 'var(--trawl-sea)',
  };
  return { variables: {}, light: surfaces, dark: surfaces };
};
