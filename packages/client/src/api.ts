import type { Client } from 'openapi-fetch';
import type { paths } from './schema.js';

/** Calls every operation of the API, with the types of its parameters, bodies and answers. */
export type Api = Client<paths>;
