import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { createApp } from '../app.js';
import type { Config } from '../common/config.js';
import { ANY_JSON } from '../common/fields.js';

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
  ['Storage MongoDB', 'The documents that runs stored.'],
  ['Health', 'For load balancers and supervisors.'],
];

/** The file at the root of the repository, from the code's own decorators. */
export async function openapiYaml(): Promise<string> {
  // Nothing is connected in preview mode; the settings only have to be there.
  const config: Config = {
    port: 0,
    host: '127.0.0.1',
    dataDir: '',
    publicUrl: 'http://localhost:3000',
    postgresUrl: 'postgres://preview',
    mongodbUri: 'mongodb://preview',
    secret: 'only for the preview, nothing is signed with it',
    logLevel: 'silent',
    supervised: false,
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
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The jwtToken of POST /panel/login.' });
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document: OpenAPIObject = SwaggerModule.createDocument(app, builder.build());
  await app.close();
  return stringify(forClients(document), { lineWidth: 120 });
}

/** Schema names without our suffix, and "any JSON value" as a schema that says nothing, which every generator reads right. */
function forClients(document: OpenAPIObject): OpenAPIObject {
  const named = JSON.stringify(document).replaceAll(/(\w+?)Dto(List)?(?=")/g, '$1$2');
  return JSON.parse(named, (_key, value) => {
    if (value?.format !== ANY_JSON.format) return value;
    const { format: _format, type: _type, additionalProperties: _more, ...rest } = value;
    return rest;
  });
}
