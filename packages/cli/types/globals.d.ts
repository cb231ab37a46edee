/** The run that calls `main.js`. */
declare const trawl: {
  /** Says `ff-stop` when somebody stops the run; two seconds later, Trawl ends it. */
  eventEmitter: import('node:events').EventEmitter;
  execution_id: string;
  skript: { id: string; title: string };
  worker: { id: string; name: string };
};
