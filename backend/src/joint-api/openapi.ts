import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode, QUOTAS } from '@trawl/contracts';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { createApp } from '../app.js';
import type { Config } from '../common/config.js';
import { ANY_JSON } from '../common/fields.js';
import { IDEMPOTENCY_KEY } from '../idempotency/idempotent.js';

const TAGS: [name: string, description: string][] = [
  ['Account', 'Signing in and out.'],
  ['API keys', 'Tokens for programs, which last until they expire or are revoked.'],
  ['Workers', 'Where skripts run.'],
  ['Skripts', 'Programs, with their settings and bundles.'],
  ['Skript files', 'The files of a skript; `main.js` is where it begins.'],
  ['Inputs', 'Stored first arguments of `main.js`.'],
  ['Input secrets', 'Stored second arguments of `main.js`; their values never come back.'],
  ['Execute skript', 'Starting and stopping runs.'],
  ['Skript executions', 'Runs: how they go and how they ended.'],
  ['Echoes', 'What runs said.'],
  ['Storage MongoDB', 'The documents that runs stored.'],
  ['Website', 'What the website’s forms and the links in e-mails call; no token is needed.'],
  ['Contact messages', 'What visitors wrote; for administrators.'],
  ['Health', 'For load balancers and supervisors.'],
];

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
    websiteDir: '',
    panelDir: '',
  };
  const app = await createApp(config, pino({ level: 'silent' }), { preview: true });
  const builder = new DocumentBuilder()
    .setTitle('Trawl Joint API')
    .setDescription(
      'Write skripts, run them on workers, read their echoes and the rows they stored. ' +
        'Everything that the panel does, it does through these routes.',
    )
    .setVersion('0.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('http://localhost:3000', 'A platform started with npm start')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, or the jwtToken of POST /panel/login.',
    });
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document: OpenAPIObject = SwaggerModule.createDocument(app, builder.build());
  await app.close();
  return forClients(document);
}

/** What swagger cannot say, or says in a way that generators and validators read differently. */
function forClients(document: OpenAPIObject): OpenAPIObject {
  // Schema names without our suffix.
  const named = JSON.stringify(document).replaceAll(/(\w+?)Dto(List)?(?=")/g, '$1$2');
  const { components } = JSON.parse(named) as OpenAPIObject;
  const plain: OpenAPIObject = JSON.parse(named, (_key, value) => {
    if (value?.format === ANY_JSON.format) return anyJson(value);
    return value?.nullable ? withNull(value, components?.schemas ?? {}) : value;
  });
  for (const path of Object.values(plain.paths)) {
    for (const operation of [path.post, path.put]) if (operation?.requestBody) addBodyErrors(operation);
    if (path.post?.parameters?.some(parameter => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY)) {
      addErrors(path.post, ['conflict', 'idempotency_key_reused']);
    }
  }
  return withoutUnused(plain);
}

type Schema = Record<string, unknown>;

/** A schema that says nothing is the one which everyone reads as "any value, null too". */
function anyJson({ format: _format, type: _type, additionalProperties: _more, nullable: _null, ...rest }: Schema) {
  return rest;
}

/** `nullable` beside a reference or an `enum` lets no null through: what they say has to stand beside it, null included. */
function withNull({ allOf, ...schema }: Schema, schemas: Record<string, object>): Schema {
  if (Array.isArray(allOf)) return { ...schemas[allOf[0].$ref.split('/').at(-1)], ...schema };
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return { ...schema, enum: [...schema.enum, null] };
  return schema;
}

/** Every route that takes a body may answer these, before it is asked. */
const addBodyErrors = (operation: { responses: Record<string, unknown> }): void =>
  addErrors(operation, ['invalid_json', 'payload_too_large', 'unsupported_media_type']);

function addErrors({ responses }: { responses: Record<string, unknown> }, codes: ApiErrorCode[]): void {
  for (const code of codes) {
    const status = API_ERRORS[code];
    const known = responses[status] as { description: string } | undefined;
    if (!known) responses[status] = { ...(responses[400] as object), description: `\`${code}\`` };
    else if (!known.description.includes(code)) known.description += `, \`${code}\``;
  }
}

function withoutUnused(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(document);
  const { schemas = {} } = document.components ?? {};
  for (const name of Object.keys(schemas)) {
    if (!text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
  }
  return document;
}
