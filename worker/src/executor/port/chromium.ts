/** A Chromium for runs of the environment `browser`. */
export interface Chromium {
  executable: string;
  /** Chromium's own folder, which a sandbox may mount elsewhere; null for a Chromium in a system folder. */
  home: string | null;
  /** Files and folders of the system that Chromium reads; some may not exist. */
  folders: string[];
  /** Environment variables with which the runner finds Chromium and Chromium finds its files. */
  variables: Record<string, string>;
}
