// @ts-check
// Part of `npm run lint`: advice on sentences that are hard to read, in comments, API texts and documents. It never fails.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fromRoot, ROOT } from '../common/paths.mjs';
import { PATTERNS } from './patterns.mjs';
import { sentencesOf } from './sentences.mjs';

const MAX_SHOWN = 15;

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md', '*.mdx', '.env.example'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const advice = files
  .split('\n')
  .filter(
    file => file && !/(^|\/)(samples|static|test\/hostile)\/|scripts\/prose\/|client\/src\/schema\.ts$/.test(file),
  )
  .flatMap(file =>
    sentencesOf(file, readFileSync(fromRoot(file), 'utf8')).flatMap(({ line, text }) =>
      PATTERNS.flatMap(([pattern, instead]) => {
        const found = pattern.exec(text);
        return found ? [`${file}:${line}: "${found[0].slice(0, 60)}" — ${instead}`] : [];
      }),
    ),
  );
const shown = process.argv.includes('--all') ? advice : advice.slice(0, MAX_SHOWN);
for (const line of shown) console.log(line);
if (advice.length > shown.length)
  console.log(`… and ${advice.length - shown.length} more: node scripts/prose/check.mjs --all`);
console.log(
  advice.length === 0
    ? 'No sentence stumbles over a known tic.'
    : `${advice.length} places to say in plainer English (advice only).`,
);
