// @ts-check
// The page RESULTS.md of `bench`: one table of all benchmarks, then the table that each printed.

/**
 * @typedef {object} Comparison
 * @property {number} ratio
 * @property {number} goal
 * @property {'higher' | 'lower'} [better] which ratios are good; lower ones if it is missing
 */

/**
 * The last line of a benchmark's output. It may have further comparisons, such as those with other peers: objects with
 * a ratio and a goal, or lists of them, each named in `what`.
 * @typedef {Comparison & { others: Record<string, Comparison> }} Result
 */

/**
 * @typedef {object} Measured
 * @property {string} name
 * @property {string} description first sentence of the benchmark's comment
 * @property {string} versions date, commit and versions
 * @property {string} machine on which it was measured
 * @property {Result[]} results one per round, without the rounds that failed
 * @property {string} table that the last round printed
 * @property {string} [problem] why a round failed
 */

/**
 * Splits the output of a benchmark into its tables and its result.
 * @param {string} output
 * @returns {{ table: string, result: Result | undefined }}
 */
export function readOutput(output) {
  const lines = output.trimEnd().split('\n');
  const result = resultOf(lines.at(-1) ?? '');
  return { table: lines.slice(0, result ? -1 : undefined).join('\n'), result };
}

/** @param {string} line @returns {Result | undefined} */
function resultOf(line) {
  if (!line.startsWith('{"bench"')) return undefined;
  const { bench: _, ...value } = JSON.parse(line);
  const result = comparisonOf(value);
  return result && { ...result, others: othersOf(value) };
}

/** @param {any} value @returns {Comparison | undefined} */
function comparisonOf(value) {
  const { ratio, goal, better } = value ?? {};
  return typeof ratio === 'number' && typeof goal === 'number' ? { ratio, goal, better } : undefined;
}

/** @param {object} value @returns {Record<string, Comparison>} */
function othersOf(value) {
  const found = Object.entries(value).flatMap(([name, field]) =>
    Array.isArray(field)
      ? field.map(item => ({ name: item?.what, comparison: comparisonOf(item) }))
      : [{ name, comparison: comparisonOf(field) }],
  );
  return Object.fromEntries(found.flatMap(({ name, comparison }) => (comparison ? [[name, comparison]] : [])));
}

/** @param {string} source of a benchmark @returns {string} the first sentence of the comment at its top */
export function descriptionOf(source) {
  const comment = source
    .split('\n')
    .filter(line => line.startsWith('//') && !line.includes('@ts-check'))
    .map(line => line.slice(2).trim())
    .join(' ');
  return /^.*?\.(?= |$)/.exec(comment)?.[0] ?? comment;
}

/** @param {Measured[]} measured @returns {string} Markdown */
export function resultsPage(measured) {
  return [
    '# Results of the benchmarks',
    '',
    'Written by `npm run bench -- all`. A ratio compares Trawl with the baseline that its benchmark names, measured in the',
    'same run, or with a limit. "≤" and "≥" say which ratios meet the goal. Each section names its machine: compare ratios',
    'of several machines, but not times.',
    '',
    '| benchmark | measures | ratio (median) | spread | goal | met |',
    '|---|---|---|---|---|---|',
    ...measured.flatMap(rows),
    ...measured.flatMap(({ name, versions, machine, table, problem }) => [
      '',
      `## ${name}`,
      '',
      versions,
      '',
      `Machine: ${machine}.`,
      ...(table ? ['', '```text', table, '```'] : []),
      ...(problem ? ['', `A round failed: ${problem}`] : []),
    ]),
    '',
  ].join('\n');
}

/** @param {Measured} measured @returns {string[]} a row of the benchmark, and one of each further comparison */
function rows({ name, description, results }) {
  const [first] = results;
  if (!first) return [`| ${name} | ${description} | failed | | | no |`];
  return [
    `| ${name} | ${description} | ${cellsOf(results)} |`,
    ...Object.keys(first.others).map(
      other =>
        `| ${name} | ${other.replaceAll('_', ' ')} | ${cellsOf(results.flatMap(({ others }) => others[other] ?? []))} |`,
    ),
  ];
}

/** @param {Comparison[]} comparisons of the rounds, at least one */
function cellsOf(comparisons) {
  const ratios = comparisons.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const median = Number(ratios[Math.floor(ratios.length / 2)]);
  const { goal, better } = /** @type {Comparison} */ (comparisons[0]);
  const isHigh = better === 'higher';
  const isMet = isHigh ? median >= goal : median <= goal;
  const spread = ratios.length > 1 ? `${ratios[0]} to ${ratios.at(-1)}` : 'one round';
  return `${median} | ${spread} | ${isHigh ? '≥' : '≤'} ${goal} | ${isMet ? 'yes' : 'no'}`;
}
