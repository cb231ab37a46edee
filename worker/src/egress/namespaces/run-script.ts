import { execFile } from 'node:child_process';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TIMEOUT_MS = 60_000;

/**
 * Runs a script of the shell and returns its standard output.
 *
 * @throws Error with the script's error output when it fails
 */
export function runScript(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { PATH }, cwd: '/', timeout: TIMEOUT_MS };
    const child = execFile('/bin/sh', ['-s'], options, (error, stdout, stderr) =>
      error ? reject(new Error(`The network of runs: ${stderr.trim().slice(-300) || error.message}`)) : resolve(stdout),
    );
    child.stdin?.on('error', () => {}); // The shell ended before it read everything; its exit code says why.
    child.stdin?.end(script);
  });
}
