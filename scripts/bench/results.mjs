// @ts-check
// The page RESULTS.md of `bench`: one table of all benchmarks, then the table that each printed.

/**
 * @typedef {object} Result last line of a benchmark's output
 * @property {number} ratio
 * @property {number} goal
 * @property {'higher' | 'lower'} [better] which ratios are good; lower ones if it is missing
 */

/**
 * @typedef {object} Measured
 * @property {string} name
 * @property {string} description first sentence of the benchmark's comment
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
  const { ratio, goal, better } = JSON.parse(line);
  return typeof ratio === 'number' && typeof goal === 'number' ? { ratio, goal, better } : undefined;
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

/**
 * @param {object} page
 * @param {string[]} page.machine lines about the machine and the versions
 * @param {Measured[]} page.measured
 * @returns {string} Markdown
 */
export function resultsPage({ machine, measured }) {
  return [
    '# Results of the benchmarks',
    '',
    'Written by `npm run bench -- all`. A ratio compares Trawl with the baseline that its benchmark names, measured in the',
    'same run, or with a limit. "≤" and "≥" say which ratios meet the goal.',
    '',
    ...machine.map(line => `- ${line}`),
    '',
    '| benchmark | measures | ratio (median) | spread | goal | met |',
    '|---|---|---|---|---|---|',
    ...measured.map(row),
    ...measured.flatMap(({ name, table, problem }) => [
      '',
      `## ${name}`,
      ...(table ? ['', '```text', table, '```'] : []),
      ...(problem ? ['', `A round failed: ${problem}`] : []),
    ]),
    '',
  ].join('\n');
}

/** @param {Measured} measured */
function row({ name, description, results }) {
  const ratios = results.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const [first] = results;
  const median = ratios[Math.floor(ratios.length / 2)];
  if (!first || median === undefined) return `| ${name} | ${description} | failed | | | no |`;
  const isHigh = first.better === 'higher';
  const isMet = isHigh ? median >= first.goal : median <= first.goal;
  const spread = ratios.length > 1 ? `${ratios[0]} to ${ratios.at(-1)}` : 'one round';
  return `| ${name} | ${description} | ${median} | ${spread} | ${isHigh ? '≥' : '≤'} ${first.goal} | ${isMet ? 'yes' : 'no'} |`;
}
