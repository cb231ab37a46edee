// @ts-check
// Part of `npm run lint`: fails if an import breaks a rule of `rules.mjs`, and names the rule.
import swc from '@swc/core';
import { cruise } from 'dependency-cruiser';
import { ROOT } from '../common/paths.mjs';
import { APPS, rules } from './rules.mjs';

const [root = ROOT] = process.argv.slice(2);
process.chdir(root);

// Turn on JSX for .tsx files: dependency-cruiser 17 parses them without JSX, which fails.
const { parseFileSync } = swc;
Object.assign(swc, {
  /** @param {string} file @param {import('@swc/core').TsParserConfig} options */
  parseFileSync: (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') }),
});

const { output } = await cruise([...APPS, 'packages'], {
  ruleSet: { forbidden: rules(root) },
  validate: true,
  parser: 'swc',
  tsPreCompilationDeps: true,
  exclude: { path: '(^|/)(node_modules|dist|build|testdata)/|[.]test[.]tsx?$' },
});
if (typeof output === 'string') throw new Error(output);
for (const { from, to, cycle, rule } of output.summary.violations) {
  const { comment } = output.summary.ruleSetUsed?.forbidden?.find(({ name }) => name === rule.name) ?? {};
  console.error(`${from} imports ${cycle?.map(({ name }) => name).join(', which imports ') ?? to}: ${comment}`);
}
if (output.summary.violations.length > 0) process.exitCode = 1;
else console.log(`Imports follow the rules in all ${output.summary.totalCruised} files.`);
