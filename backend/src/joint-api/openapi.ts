import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { QUOTAS } from '@trawl/contracts';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { createApp } from '../app.js';
import type { Config } from '../common/config.js';
import { ANY_JSON } from '../common/fields.js';
import { documentErrors, documentReplays } from './document-errors.js';
import { parameterWithExample, withExamples } from './field-examples.js';
import { type RouteFacts, routeFacts } from './route-facts.js';
import { shareParameters } from './shared-parameters.js';

/** In the order of the pages on which they are documented (`website/docs/joint-api`). */
const TAGS: [name: string, description: string][] = [
  ['Account', 'Signing in and out.'],
  ['Workers', 'Where skripts run.'],
  ['Skripts', 'Programs, with their settings and bundles.'],
  ['Skript files', 'The files of a skript; `main.js` is where it begins.'],
  ['Inputs', 'Stored first arguments of `main.js`.'],
  ['Input secrets', 'Stored second arguments of `main.js`; their values never come back.'],
  ['Execute skript', 'Starting and stopping runs.'],
  ['Skript executions', 'Runs: how they go and how they ended.'],
  ['Echoes', 'What runs said.'],
  ['Storage: MongoDB', 'The documents that runs stored.'],
  ['MongoDB databases', 'Where documents are kept: a database has collections.'],
  ['MongoDB collections', 'Collections of a database, and their indexes.'],
  ['Versions', 'The bundles that were built of a skript: compare them, and bring one back.'],
  ['Schedules', 'Starting skripts by the clock.'],
  ['API keys', 'Tokens for programs, which last until they expire or are revoked.'],
  ['Dashboard', 'The figures of an account, and of the platform, in one call.'],
  ['Users', 'The accounts of the platform; for administrators.'],
  ['Audit log', 'Who did what to what.'],
  ['Website', 'What the website’s forms and the links in e-mails call; no token is needed.'],
  ['Contact messages', 'What visitors wrote; for administrators.'],
  ['Health', 'For load balancers and supervisors.'],
];

const DESCRIPTION =
  `Write skripts, run them on workers, read their echoes and the rows they stored. Everything that the panel does, it does
through these routes.

Requests and answers are JSON in UTF-8 unless a route says otherwise; times are ISO 8601 in UTC. No text may hold a NUL character.
Every answer has the header \`X-Request-Id\`. Every error has the body \`ErrorBody\`: \`error_message\` is for a person and may change,
\`error_code\` is for a program. What belongs to another account is answered as if it were not there, with 404.`.replaceAll(
    /(?<!\n)\n(?!\n)/g,
    ' ',
  );

/** The file at the root of the repository. */
export const openapiYaml = async (): Promise<string> =>
  stringify(await openapiDocument(), { lineWidth: 120, aliasDuplicateObjects: false });

/** What the code's own decorators say of the API. */
export async function openapiDocument(): Promise<OpenAPIObject> {
  // Nothing is connected in preview mode; the settings only have to be there.
  const config: Config = {
    port: 0,
    host: '127.0.0.1',
    dataDir: '',
    publicUrl: 'http://localhost:3000',
    postgresUrl: 'postgres://preview',
    mongodbUri: 'mongodb://preview',
    secret: 'only for the preview, nothing is signed with it',
    corsOrigins: [],
    trustedProxies: [],
    smtpUrl: undefined,
    contactEmail: undefined,
    siteEmail: 'info@localhost',
    logLevel: 'silent',
    supervised: false,
    quotas: QUOTAS,
    auditDays: 365,
    historyDays: 0,
    npmRegistry: undefined,
    websiteDir: '',
    panelDir: '',
  };
  const app = await createApp(config, pino({ level: 'silent' }), { preview: true });
  const builder = new DocumentBuilder()
    .setTitle('Trawl Joint API')
    .setDescription(DESCRIPTION)
    .setVersion('0.1.0')
    .setContact('Trawl', 'http://127.0.0.1:3000/contact', '')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('http://127.0.0.1:3000', 'A Trawl that `npm start` started. Give your client the address of yours.')
    .setExternalDoc('The same with worked examples', 'http://127.0.0.1:3000/docs/joint-api')
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

/** What swagger cannot say, or says in a way that generators and validators read differently. */
function forClients(document: OpenAPIObject, facts: Map<string, RouteFacts>): OpenAPIObject {
  // Schema names without our suffix.
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
  const responses = {};
  for (const [method, operation] of operationsOf(plain)) {
    const fact = facts.get(operation.operationId);
    if (!fact) throw new Error(`No controller has the operation ${operation.operationId}.`);
    operation.security = fact.isPublic ? [] : [{ bearer: [] }];
    describe(operation, method, fact);
    for (const content of contentsOf(operation)) content.schema = withExamples(content.schema);
    operation.parameters = operation.parameters?.map(parameter => parameterWithExample(parameter as never));
    documentErrors(operation, fact, responses);
    documentReplays(operation);
    closeBody(operation, schemas);
  }
  plain.components = { ...plain.components, responses };
  return inOrder(withoutUnused(shareParameters(plain)));
}

type Schema = Record<string, unknown>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { operationId: string };

const operationsOf = ({ paths }: OpenAPIObject): [method: string, Operation][] =>
  Object.values(paths).flatMap(path => Object.entries(path as Record<string, Operation>));

/** A schema that says nothing is the one which everyone reads as "any value, null too". */
function anyJson({ format: _format, type: _type, additionalProperties: _more, nullable: _null, ...rest }: Schema) {
  return rest;
}

/** `nullable` beside a reference or an `enum` lets no null through: what they say has to stand beside it, null included. */
function withNull({ allOf, ...schema }: Schema, schemaOf: (name: string) => Schema): Schema {
  if (Array.isArray(allOf)) return { ...schemaOf(allOf[0].$ref.split('/').at(-1)), ...schema };
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return { ...schema, enum: [...schema.enum, null] };
  return schema;
}

/** Path parameters that are no ids. */
const PATH_TEXTS: Record<string, object> = {
  collection: {
    description: 'The name of the collection.',
    example: 'books',
    schema: { type: 'string', minLength: 1, maxLength: 120 },
  },
  index_name: {
    description: 'The name of the index.',
    example: 'price_-1__id_-1',
    schema: { type: 'string', minLength: 1 },
  },
  doc_id: {
    description: 'The `_id` of the document; `id_type` says of which type it is.',
    example: '65cdf0c2a1b2c3d4e5f60718',
    schema: { type: 'string', minLength: 1 },
  },
};

/** Of its body and of its answers; errors are written later. */
const contentsOf = ({ requestBody, responses }: Operation): { schema: object }[] =>
  (
    [requestBody, ...Object.values(responses)] as ({ content?: Record<string, { schema: object }> } | undefined)[]
  ).flatMap(part => Object.values(part?.content ?? {}));

/** What a route says of API keys. */
const KEY_WORDS: Record<RouteFacts['needs'], string> = {
  read: '',
  run: 'An API key needs the scope `run`.',
  all: 'An API key needs the scope `all`.',
  session: 'It takes the token of a session and no API key.',
};

/** What an answer says that has no words of its own. */
const ANSWER_WORDS: Record<string, string> = {
  get: 'As asked.',
  put: 'As it is now.',
  delete: 'It is gone; how many of each kind went.',
};

/** What swagger finds no words for. */
function describe(operation: Operation, method: string, { isPublic, needs }: RouteFacts): void {
  const { parameters = [], responses } = operation;
  const { description = '' } = operation;
  if (!isPublic && description && !description.includes('the token of a session')) {
    operation.description = `${description} ${KEY_WORDS[needs]}`.trim();
  }
  for (const parameter of parameters) if ('name' in parameter) Object.assign(parameter, PATH_TEXTS[parameter.name]);
  for (const [status, response] of Object.entries(responses) as [string, { description: string }][]) {
    response.description ||= status === '201' ? 'It is made.' : (ANSWER_WORDS[method] ?? 'Done.');
  }
}

/** The pipe refuses what it does not know. */
function closeBody({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  const content = (requestBody as { content?: Record<string, { schema?: { $ref?: string } }> } | undefined)?.content;
  for (const { schema } of Object.values(content ?? {})) {
    const body = schemas[schema?.$ref?.split('/').at(-1) ?? ''];
    if (body) body.additionalProperties ??= false;
  }
}

/** Operations by their tags, and in each object first what a reader looks for first. */
function inOrder({ openapi: _version, info, servers, tags, paths, components, ...rest }: OpenAPIObject): OpenAPIObject {
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
              security,
              ...(parameters.length > 0 ? { parameters } : {}),
              ...more,
            },
          ],
        ),
      ),
    ]);
  return { openapi: '3.0.3', info, servers, tags, paths: Object.fromEntries(ordered), components, ...rest };
}

function withoutUnused(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {} } = document.components ?? {};
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter(name => !text.includes(`"#/components/schemas/${name}"`));
    if (unused.length === 0) return document;
    for (const name of unused) delete schemas[name];
  }
}
