import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { codeSearch } from './search-panel.js';

// The colours are variables of the brand, so one theme works in both colour schemes.
const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13.5px', backgroundColor: 'var(--panel-well)', color: 'var(--trawl-ink)' },
  '&.cm-focused': { outline: 'none' },
  // The line numbers would cover an outline of the editor itself.
  '&.cm-focused::after': {
    content: '""',
    position: 'absolute',
    inset: '0',
    zIndex: '250',
    outline: '2px solid var(--trawl-sea)',
    outlineOffset: '-2px',
    pointerEvents: 'none',
  },
  '.cm-scroller': { fontFamily: 'var(--trawl-font-code)', lineHeight: '1.6', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--trawl-accent)', padding: '10px 0' },
  '.cm-placeholder': { color: 'var(--trawl-muted)' },
  '.cm-cursor': { borderLeftColor: 'var(--trawl-accent)', borderLeftWidth: '2px' },
  // The text scrolls sideways below the line numbers, so their background is opaque.
  '.cm-gutters': { backgroundColor: 'var(--panel-well)', color: 'var(--trawl-muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 3%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--trawl-ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 24%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 22%, transparent)' },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--trawl-error) 9%, transparent)' },
  '.cm-deletedChunk .cm-chunkButtons': { position: 'static', display: 'flex', gap: '6px', padding: '4px 0' },
  '.cm-deletedChunk .cm-chunkButtons button': {
    margin: '0',
    padding: '2px 10px',
    border: '1px solid var(--trawl-line)',
    borderRadius: '6px',
    background: 'var(--panel-card)',
    color: 'var(--trawl-ink)',
    font: '500 12.5px var(--trawl-font-text)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--panel-card)',
    color: 'var(--trawl-ink)',
    borderColor: 'var(--trawl-line)',
  },
  '.cm-tooltip': { borderRadius: '7px', overflow: 'hidden', boxShadow: 'var(--mantine-shadow-md)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxWidth: 'min(420px, 92vw)',
    fontFamily: 'var(--trawl-font-code)',
    fontSize: '13px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px 3px 4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 20%, transparent)',
    color: 'var(--trawl-ink)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--trawl-accent-text)', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': {
    maxWidth: 'min(420px, 92vw)',
    maxHeight: '300px',
    padding: '8px 12px',
    overflow: 'auto',
    fontFamily: 'var(--trawl-font-text)',
    fontSize: '13px',
  },
  '.cm-tooltip.cm-code-text, .cm-tooltip-hover .cm-code-text': {
    maxWidth: 'min(560px, 92vw)',
    maxHeight: '240px',
    padding: '8px 12px',
    overflow: 'auto',
    fontFamily: 'var(--trawl-font-text)',
    fontSize: '13px',
  },
  '.cm-code-text code': {
    fontFamily: 'var(--trawl-font-code)',
    fontSize: '12.5px',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-code-text strong': { color: 'var(--trawl-accent-text)', fontWeight: '600' },
  '.cm-code-text p': { margin: '6px 0 0', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--trawl-font-text)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--trawl-error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--trawl-warn)' },
  '.cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]': {
    backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 20%, transparent)',
    color: 'var(--trawl-ink)',
  },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { paddingRight: '34px' },
  '.cm-panel.cm-panel-lint button[name=close]': {
    top: '2px',
    right: '4px',
    padding: '2px 9px',
    color: 'var(--trawl-ink)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.moduleKeyword, tags.operatorKeyword], color: 'var(--trawl-accent-text)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--trawl-ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--trawl-warn)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--trawl-sea)' },
  { tag: [tags.comment], color: 'var(--trawl-muted)', fontStyle: 'italic' },
  { tag: [tags.propertyName], color: 'var(--trawl-ink)' },
  { tag: [tags.invalid], color: 'var(--trawl-error)' },
]);

// Without a `tabindex`, tools such as axe do not count the content as focusable, though the browser lets users focus it.
const reachable = EditorView.contentAttributes.of({ tabindex: '0' });

/** Look of all code editors, with their search. */
export const codeLook = [theme, syntaxHighlighting(colours), codeSearch, reachable];
