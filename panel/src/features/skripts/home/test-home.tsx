import type { ComponentProps } from 'react';
import type { Skript } from '../../../api/entities.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import { SkriptHome } from './skript-home.js';

/** A skript for tests. */
export const skriptWith = (...files: Skript['files']): Skript =>
  ({ ...NEW_SKRIPT, id: 's1', title: 'Books', files }) as Skript;

/** The page of a skript without a run, for tests. */
const NOTHING: Omit<ComponentProps<typeof SkriptHome>, 'skript'> = {
  crumbs: null,
  facts: null,
  menu: null,
  onRun: () => {},
  renderReplay: () => null,
  inputName: null,
  isStarting: false,
  startError: null,
  renderStartFailure: () => null,
  runProblem: null,
  onDelete: () => {},
  runId: '',
  run: null,
  panels: { runs: null, data: null, schedules: null, alerts: null },
};

/** The page of a skript. */
export const homeOf = (skript: Skript, more: Partial<typeof NOTHING> = {}) => (
  <SkriptHome {...NOTHING} skript={skript} {...more} />
);
