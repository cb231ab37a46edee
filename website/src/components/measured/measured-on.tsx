interface MeasuredOnProps {
  date: string;
  machine: string;
  /** Average number of processes that wanted a core just before the benchmark. */
  load: number;
  /** Time of an empty program of Node.js, by which readers compare the machine with theirs. */
  nodeStartMs: number;
}

/** Shows when and where a benchmark was run, with a warning if the machine was busy. */
export function MeasuredOn({ date, machine, load, nodeStartMs }: MeasuredOnProps) {
  const cores = Number.parseInt(machine, 10);
  return (
    <p>
      Measured on {date} on {machine}. <code>node -e 0</code> takes {nodeStartMs} ms there.
      {load > cores &&
        ` Other programs kept the machine busy: on average ${load} processes wanted its ${cores} cores. An idle machine is much faster. Compare the rows with each other only.`}
    </p>
  );
}
