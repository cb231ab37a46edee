// @ts-check
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fromRoot, ROOT } from '../common/paths.mjs';

const FOLDER = 'docs/decisions';
const HEAD =
  /^# (?<number>\d+)\. (?<title>.+)\n\nDate: (?<date>\d{4}-\d\d-\d\d(?:, since \d{4}-\d\d-\d\d)?)\. Status: (?<status>accepted)\.\n/;
const LINK = /decisions\/(\d{4}[\w-]*(?:\.md)?)/g;
const NUMBER = /\bdecisions? (\d+)/gi;

/** Returns what is wrong with the records of decisions, their list in the README, and links to them from elsewhere. */
export function decisionProblems() {
  const files = readdirSync(fromRoot(FOLDER)).filter(file => file !== 'README.md');
  const list = readFileSync(fromRoot(FOLDER, 'README.md'), 'utf8').split('\n');
  const problems = [];
  const numbers = new Set();
  for (const file of files) {
    const head = HEAD.exec(readFileSync(fromRoot(FOLDER, file), 'utf8'))?.groups;
    if (!head || !file.startsWith(`${head.number?.padStart(4, '0')}-`)) {
      problems.push(`${FOLDER}/${file} must begin with "# N. Title" and "Date: 2026-01-31. Status: accepted."`);
      continue;
    }
    numbers.add(head.number);
    const row = `| ${head.number} | [${head.title}](${file}) | ${head.status} | ${head.date} |`;
    if (!list.includes(row)) problems.push(`${FOLDER}/README.md needs the row "${row}".`);
  }
  const linked = new Set();
  for (const { path, text } of linesWithDecisions()) {
    const isRecord = path.startsWith(`${FOLDER}/`);
    for (const [, link = ''] of text.matchAll(LINK)) {
      if (!files.includes(link)) problems.push(`${path} links to ${FOLDER}/${link}, which does not exist.`);
      else if (!isRecord) linked.add(link);
    }
    for (const [, number = ''] of text.matchAll(NUMBER)) {
      if (!numbers.has(number)) problems.push(`${path} names decision ${number}, which does not exist.`);
    }
  }
  for (const file of files) {
    if (!linked.has(file)) problems.push(`${FOLDER}/${file} needs a link from the code or document that it explains.`);
  }
  return problems;
}

/** Returns the lines of all files that name a decision, or a file of one. */
function linesWithDecisions() {
  const found = execFileSync('git', ['grep', '--untracked', '-IiE', 'decisions?[ /]\\[?[0-9]'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return found.split('\n').map(line => ({ path: line.split(':', 1)[0] ?? '', text: line }));
}
