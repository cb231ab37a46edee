/** Stands for the ids of run and skript if the skript runs on your own computer. */
export const LOCAL = 'local';

interface GlobalTrawl {
  execution_id?: string;
  skript?: { id?: string };
}

/** Returns the ids of the current run and its skript, which the runner provides as `global.trawl`. */
export function thisRun(): { runId: string; skriptId: string } {
  const { trawl } = globalThis as { trawl?: GlobalTrawl };
  return { runId: trawl?.execution_id ?? LOCAL, skriptId: trawl?.skript?.id ?? LOCAL };
}
