import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { pino } from 'pino';
import { createApp } from '../../app.js';
import { loadConfig } from '../../platform/common/config.js';
import { ANY_JSON } from '../../platform/http/fields.js';
import { TRAWL_VERSION } from '../../version.js';
import { documentErrors, documentReplays, errorResponses, REPLAYED_HEADER } from './document-errors.js';
import { parameterWithExample, withExamples } from './field-examples.js';
import { type RouteFacts, routeFacts } from './route-facts.js';
import { shareEnums } from './share-enums.js';
import { shareFields } from './share-fields.js';
import { shareParameters } from './shared-parameters.js';
import { toYaml } from './to-yaml.js';

/** The groups of routes, in the order of their pages in `website/docs/joint-api`. */
const TAGS: [name: string, description: string][] = [
  ['Account', 'Sign in and out, and manage your account.'],
  ['Workers', 'Machines that run skripts.'],
  ['Skripts', 'Your programs, with their settings and bundles.'],
  ['Skript files', 'The files of a skript. Runs start in `main.js`.'],
  ['Inputs', 'Saved values for the first argument of `main.js`.'],
  ['Input secrets', 'Saved secret values for the second argument of `main.js`. The API never returns them.'],
  ['Sessions', 'Logins to sites that runs share.'],
  ['Proxies', 'Pools of proxies, through which runs connect.'],
  ['Queues', 'Requests that runs add and take.'],
  ['Polite domains', 'Request rates of polite runs, by domain.'],
  ['Execute skript', 'Start, pause, resume and stop runs.'],
  ['Skript executions', 'Runs and their results.'],
  ['Items', 'Rows with a key, one for each key of a skript, and how runs changed them.'],
  ['Echoes', 'Log output of runs.'],
  ['Storage: MongoDB', 'Documents that runs have saved.'],
  ['MongoDB databases', 'Databases, which contain collections of documents.'],
  ['MongoDB collections', 'Collections of a database, and their indexes.'],
  ['Storage: PostgreSQL', 'Tables that runs have filled, and SQL queries.'],
  ['Exports', 'Files with all documents of a collection, all rows of a run, or rows of PostgreSQL.'],
  ['Exporters', 'Exports that repeat.'],
  ['Imports', 'Rows of uploaded files that become documents.'],
  ['Versions', 'Built bundles of a skript. Compare or restore them.'],
  ['Schedules', 'Start skripts at set times.'],
  ['Webhooks', 'Addresses to which Trawl sends events, with a log of the deliveries.'],
  ['API keys', 'Tokens for programs. They work until they expire or you revoke them.'],
  ['Issues', 'Failed runs, grouped by their cause.'],
  ['Dashboard', 'Statistics of your account and of the platform in one call.'],
  ['Users', 'The accounts of the platform. Administrators only.'],
  ['Maintenance', 'Hold schedules and new runs while you work on the platform. Administrators only.'],
  ['Audit log', 'Log of changes: user, action, target and time.'],
  ['Website', 'Routes for the website’s forms and the links in e-mails. No token needed.'],
  ['Contact messages', 'Messages from the contact form. Administrators only.'],
  ['Health', 'Health checks for load balancers and supervisors.'],
];

const DESCRIPTION =
  `Write skripts, run them on workers, and read their echoes and the rows that they saved. The panel uses the same routes.

Requests and responses are JSON in UTF-8 unless a route says otherwise. Times are ISO 8601 in UTC. Texts must not contain NUL
characters. Every response has the header \`X-Request-Id\`. Every error has the body \`ErrorBody\`: \`error_message\` is for people
and may change, \`error_code\` is for programs. \`x-error-codes\` lists the codes of a
route; any route can also return \`internal_error\`. Resources of other accounts return 404, as if they did not exist.`.replaceAll(
    /(?<!\n)\n(?!\n)/g,
    ' ',
  );

/** Returns the content of `openapi.yaml`. */
export const openapiYaml = async (): Promise<string> => toYaml(await openapiDocument());

/** Generates the OpenAPI document from the decorators in the code. */
export async function openapiDocument(): Promise<OpenAPIObject> {
  // Preview mode connects to nothing and signs nothing, so these settings are placeholders.
  const config = loadConfig({
    POSTGRES_URL: 'postgres://preview',
    MONGODB_URI: 'mongodb://preview',
    TRAWL_SECRET: 'only for the preview, nothing is signed with it',
  });
  const app = await createApp(config, pino({ level: 'silent' }), { preview: true });
  const builder = new DocumentBuilder()
    .setTitle('Trawl Joint API')
    .setDescription(DESCRIPTION)
    .setVersion(TRAWL_VERSION)
    .setContact('Trawl', 'http://127.0.0.1:3000/contact', '')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('http://127.0.0.1:3000', 'Trawl started with `npm start`. Replace it with the address of your server.')
    .setExternalDoc('Guide with examples', 'http://127.0.0.1:3000/docs/joint-api')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, or the `jwtToken` of `POST /panel/login`.',
    });
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document: OpenAPIObject = SwaggerModule.createDocument(app, builder.build());
  const facts = routeFacts(app);
  await app.close();
  return forClients(document, facts);
}

/**
 * Adds what the Swagger module cannot express, and changes parts that client generators and validators would
 * misunderstand.
 */
function forClients(document: OpenAPIObject, facts: Map<string, RouteFacts>): OpenAPIObject {
  // Remove the suffix `Dto` from the names of schemas.
  const named = JSON.stringify(document).replaceAll(/(\w+?)Dto(List)?(?=")/g, '$1$2');
  const { components } = JSON.parse(named) as OpenAPIObject;
  const plainly = (json: string) =>
    JSON.parse(json, (_key, value) => {
      if (value?.format === ANY_JSON.format) return anyJson(value);
      if (value?.maxLength === Number.MAX_SAFE_INTEGER) delete value.maxLength;
      return value?.nullable ? withNull(value, name => plainly(JSON.stringify(components?.schemas?.[name]))) : value;
    });
  const plain: OpenAPIObject = plainly(named);
  delete plain.info.contact?.email;
  const schemas = (plain.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = withExamples(schema) as Schema;
  for (const [method, operation] of operationsOf(plain)) {
    const fact = facts.get(operation.operationId);
    if (!fact) throw new Error(`No controller has the operation ${operation.operationId}.`);
    // Other operations have the security of the document.
    if (fact.isPublic) operation.security = [];
    else delete operation.security;
    describe(operation, method, fact);
    for (const content of contentsOf(operation)) content.schema = withExamples(content.schema);
    operation.parameters = operation.parameters?.map(parameter => parameterWithExample(parameter as never));
    documentErrors(operation, fact);
    documentReplays(operation);
    closeBody(operation, schemas);
  }
  plain.security = [{ bearer: [] }];
  plain.components = { ...plain.components, responses: errorResponses() as never, headers: REPLAYED_HEADER as never };
  return inOrder(withoutUnused(shareParameters(shareFields(shareEnums(plain)))));
}

type Schema = Record<string, unknown>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { operationId: string };

const operationsOf = ({ paths }: OpenAPIObject): [method: string, Operation][] =>
  Object.values(paths).flatMap(path => Object.entries(path as Record<string, Operation>));

/** Removes all rules from a schema: all tools read a schema without rules as any value, including null. */
function anyJson({ format: _format, type: _type, additionalProperties: _more, nullable: _null, ...rest }: Schema) {
  return rest;
}

/**
 * Makes `nullable` work for references and enums, where it has no effect: replaces the reference by the schema itself,
 * and adds null to the enum.
 */
function withNull({ allOf, ...schema }: Schema, schemaOf: (name: string) => Schema): Schema {
  if (Array.isArray(allOf)) return { ...schemaOf(allOf[0].$ref.split('/').at(-1)), ...schema };
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return { ...schema, enum: [...schema.enum, null] };
  return schema;
}

/** Path parameters that are not ids. */
const PATH_TEXTS: Record<string, object> = {
  collection: {
    description: 'Name of the collection.',
    example: 'books',
    schema: { type: 'string', minLength: 1, maxLength: 120 },
  },
  table: {
    description: 'Name of the table.',
    example: 'books',
    schema: { type: 'string', minLength: 1, maxLength: 63 },
  },
  index_name: {
    description: 'Name of the index.',
    example: 'price_-1__id_-1',
    schema: { type: 'string', minLength: 1 },
  },
  doc_id: {
    description: 'The `_id` of the document. `id_type` sets its type.',
    example: '65cdf0c2a1b2c3d4e5f60718',
    schema: { type: 'string', minLength: 1 },
  },
};

/** Returns the contents of the request body and of the responses. Errors are documented later. */
const contentsOf = ({ requestBody, responses }: Operation): { schema: object }[] =>
  (
    [requestBody, ...Object.values(responses)] as ({ content?: Record<string, { schema: object }> } | undefined)[]
  ).flatMap(part => Object.values(part?.content ?? {}));

/** For each scope, the sentence about API keys that is added to a route's description. */
const KEY_SENTENCES: Record<RouteFacts['needs'], string> = {
  read: '',
  run: 'API keys need the scope `run`.',
  all: 'API keys need the scope `all`.',
  session: 'Needs a session token; API keys are refused.',
};

/** Default descriptions of successful responses. */
const RESPONSE_DESCRIPTIONS: Record<string, string> = {
  get: 'The requested data.',
  put: 'The updated resource.',
  delete: 'Deleted: the number of rows of each kind.',
};

/** Adds the descriptions that Swagger leaves out. */
function describe(operation: Operation, method: string, { isPublic, needs, sortable }: RouteFacts): void {
  const { parameters = [], responses } = operation;
  const { description = '' } = operation;
  if (!isPublic && description && !description.includes('a session token')) {
    operation.description = `${description} ${KEY_SENTENCES[needs]}`.trim();
  }
  for (const parameter of parameters) {
    if (!('name' in parameter)) continue;
    Object.assign(parameter, PATH_TEXTS[parameter.name]);
    if (parameter.name === 'sort' && sortable.length > 0) sortBy(parameter, sortable);
  }
  for (const [status, response] of Object.entries(responses) as [string, { description: string }][]) {
    response.description ||= status === '201' ? 'Created.' : (RESPONSE_DESCRIPTIONS[method] ?? 'Done.');
  }
}

/** Documents the fields by which a list can be sorted, with the first of them as the example. */
function sortBy(parameter: { description?: string; example?: unknown; schema?: object }, sortable: readonly string[]) {
  parameter.description = `${parameter.description} Fields: ${sortable.map(field => `\`${field}\``).join(', ')}.`;
  parameter.schema = { ...parameter.schema, example: `-${sortable[0]}` };
}

/** Documents that the body must not have other fields, because `StrictValidationPipe` refuses unknown fields. */
function closeBody({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  const content = (requestBody as { content?: Record<string, { schema?: { $ref?: string } }> } | undefined)?.content;
  for (const { schema } of Object.values(content ?? {})) {
    const body = schemas[schema?.$ref?.split('/').at(-1) ?? ''];
    if (body) body.additionalProperties ??= false;
  }
}

/** Sorts operations by tag, and the fields of each operation by importance to a reader. */
function inOrder({
  openapi: _version,
  info,
  servers,
  security,
  tags,
  paths,
  components,
  ...rest
}: OpenAPIObject): OpenAPIObject {
  const place = new Map(TAGS.map(([name], index) => [name, index]));
  const placeOf = (path: object) =>
    Math.min(...Object.values(path).map(({ tags = [] }) => place.get(tags[0]) ?? TAGS.length));
  const ordered = Object.entries(paths)
    .sort(([, one], [, other]) => placeOf(one) - placeOf(other))
    .map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations as Record<string, Operation>).map(
          ([method, { operationId, summary, description, tags, security, parameters = [], ...more }]) => [
            method,
            {
              operationId,
              summary,
              description,
              tags,
              ...(security ? { security } : {}),
              ...(parameters.length > 0 ? { parameters } : {}),
              ...more,
            },
          ],
        ),
      ),
    ]);
  return { openapi: '3.0.3', info, servers, security, tags, paths: Object.fromEntries(ordered), components, ...rest };
}

function withoutUnused(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {}, responses = {} } = document.components ?? {};
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.entries({ schemas, responses }).flatMap(([kind, parts]) =>
      Object.keys(parts)
        .filter(name => !text.includes(`"#/components/${kind}/${name}"`))
        .map(name => [parts, name] as const),
    );
    if (unused.length === 0) return document;
    for (const [parts, name] of unused) delete parts[name];
  }
}
