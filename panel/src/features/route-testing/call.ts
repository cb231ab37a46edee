import { shellQuoted } from '../../components/values/shell-quoted.js';
import type { Operation } from './operations.js';

/** The user's entries in the form: the parameters by name, and the body as text or as a file. */
export interface Filled {
  parameters: Record<string, string>;
  body: string;
  file: File | null;
}

/** A request to a route. It does not contain the token, which is added when the request is sent. */
export interface Call {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string | File | null;
  isPublic: boolean;
}

/** Placeholder for an empty path parameter. */
const gap = (name: string): string => `{${name}}`;

export function callOf(operation: Operation, { parameters, body, file }: Filled): Call {
  const of = (place: string) =>
    operation.parameters.filter(parameter => parameter.in === place).map(({ name }) => [name, parameters[name] ?? '']);
  const path = of('path').reduce(
    (text, [name = '', value = '']) => text.replace(gap(name), value === '' ? gap(name) : encodeURIComponent(value)),
    operation.path,
  );
  const query = new URLSearchParams(of('query').filter(([, value]) => value !== '') as [string, string][]).toString();
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      ...Object.fromEntries(of('header').filter(([, value]) => value !== '')),
      ...(operation.body && { 'Content-Type': operation.body.type }),
    },
    body: operation.body?.type === 'application/zip' ? file : operation.body && body,
    isPublic: operation.isPublic,
  };
}

/** Returns a message for each missing or invalid field. Its key is the name of the parameter, or `body`. */
export function problemsOf(operation: Operation, { parameters, body, file }: Filled): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { name, isRequired } of operation.parameters)
    if (isRequired && !parameters[name]) problems[name] = 'This field is required';
  if (operation.body?.type === 'application/zip' && !file) problems.body = 'Choose the archive to send';
  if (operation.body?.type === 'application/json') {
    try {
      JSON.parse(body);
    } catch (error) {
      problems.body = `Not valid JSON: ${(error as Error).message}`;
    }
  }
  return problems;
}

/** Formats the call as a curl command that reads the token from a shell variable. */
export function curlOf({ method, path, headers, body, isPublic }: Call, origin: string): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(origin + path)}`];
  if (!isPublic) lines.push('-H "Authorization: Bearer $TRAWL_TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
  if (headers['Content-Type'] === 'application/zip') lines.push('--data-binary @skript.zip');
  else if (typeof body === 'string') lines.push(`-d ${shellQuoted(body)}`);
  return lines.join(' \\\n  ');
}

/** Formats the call as JavaScript for Node.js, which reads the token from the environment. */
export function javascriptOf({ method, path, headers, body, isPublic }: Call, origin: string): string {
  const isArchive = headers['Content-Type'] === 'application/zip';
  const sent = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code that the user copies has the template.
    ...(isPublic ? [] : ['Authorization: `Bearer ${process.env.TRAWL_TOKEN}`']),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const content = isArchive ? "await readFile('skript.zip')" : typeof body === 'string' ? bodyOf(body) : null;
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(sent.length > 0 ? [`headers: {\n    ${sent.join(',\n    ')},\n  }`] : []),
    ...(content === null ? [] : [`body: ${content}`]),
  ];
  const argument = options.length > 0 ? `, {\n  ${options.join(',\n  ')},\n}` : '';
  return `${isArchive ? "import { readFile } from 'node:fs/promises';\n\n" : ''}const response = await fetch(${JSON.stringify(origin + path)}${argument});
const answer = await response.text();
if (!response.ok) throw new Error(answer);
console.log(answer);`;
}

/** Returns an expression for a JSON text; one that is not JSON yet stays a text. */
function bodyOf(text: string): string {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\n  ')})`;
  } catch {
    return JSON.stringify(text);
  }
}
