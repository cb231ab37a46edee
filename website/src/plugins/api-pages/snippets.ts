import type { Example, Operation } from './openapi';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Quotes a string for the shell. */
const shell = (value: string): string => (/^[\w./:@%=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);

export function curl(
  platformUrl: string,
  { method, security }: Operation,
  { path, body, file, answer_file }: Example,
): string {
  const lines = [`curl ${shell(platformUrl + path)}`];
  // Omit `-X` where curl chooses the right method: GET, or POST if there is a body.
  if (method !== 'GET' && !(method === 'POST' && (body ?? file) !== undefined))
    lines[0] = lines[0]?.replace('curl', `curl -X ${method}`) as string;
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${shell(json(body))}`);
  if (file) lines.push(`-F archive=@${shell(file)}`);
  if (answer_file) lines.push(`-o ${shell(answer_file)}`);
  return lines.join(' \\\n  ');
}

export function javaScript(
  platformUrl: string,
  { method, security }: Operation,
  { path, body, file, answer, answer_file }: Example,
): string {
  const headers = [
    security.length > 0 && '    Authorization: `Bearer $' + '{token}`,',
    body !== undefined && "    'Content-Type': 'application/json',",
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    headers.length > 0 && ['  headers: {', ...headers, '  },'].join('\n'),
    body !== undefined && `  body: JSON.stringify(${literal(body).replaceAll('\n', '\n  ')}),`,
    file && '  body: form,',
  ].filter(Boolean);
  const call = options.length === 0 ? ');' : [', {', ...options, '});'].join('\n');
  const form = answer_file ? 'arrayBuffer' : typeof answer === 'string' ? 'text' : 'json';
  return [
    ...(file
      ? [
          "import { openAsBlob } from 'node:fs';\n",
          'const form = new FormData();',
          `form.append('archive', await openAsBlob('${file}'));`,
        ]
      : []),
    `const response = await fetch('${platformUrl}${path}'${call}`,
    `const answer = await response.${form}();`,
  ].join('\n');
}

/** Formats a value as a JavaScript literal, with unquoted keys and single quotes. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map(item => literal(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key)}: ${literal(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? open + close : `${open}\n${inner}${parts.join(`,\n${inner}`)},\n${indent}${close}`;
}
