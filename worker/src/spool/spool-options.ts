import type { RunJournal } from './run-journal.js';

export interface SpoolOptions {
  /** Folder that contains one folder for each run with many echoes. */
  runs: string;
  journal: RunJournal;
  /** Called when a write fails. All later echoes are lost, and the worker adds an echo about this. */
  failed: (error: unknown) => void;
}
