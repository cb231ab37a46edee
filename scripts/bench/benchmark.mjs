// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Problem } from '../common/problem.mjs';

/**
 * Runs a benchmark to its end. If it takes too long, or if this process is told to end, the benchmark and the servers
 * that it started are ended as with Ctrl-C. In the second case it throws a Problem.
 * @param {string} file
 * @param {string[]} args
 * @param {{ stdio?: 'pipe' | 'inherit', timeoutMs?: number }} options
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} the output is empty if it is inherited
 */
export async function runBenchmark(file, args, { stdio = 'pipe', timeoutMs }) {
  // It gets its own process group, so that a signal to the group also ends its servers.
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', stdio, stdio], detached: true });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', chunk => (output.stdout += chunk));
  child.stderr?.on('data', chunk => (output.stderr += chunk));

  const end = () => process.kill(-Number(child.pid), 'SIGINT');
  const timer = timeoutMs
    ? setTimeout(() => {
        output.stderr += `\nIt was ended after ${timeoutMs / 60_000} minutes.`;
        end();
      }, timeoutMs)
    : undefined;
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    end();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  const [code] = await once(child, 'close');
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  clearTimeout(timer);
  if (isInterrupted) throw new Problem('The benchmark was interrupted.');
  return { code: code ?? 1, ...output };
}
