import { LIMITS } from '@trawl/contracts';
import { BooleanField, IntField, JsonField } from '../../../platform/http/fields.js';
import { InputIdField, InputSecretIdField, SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { WorkerIdField } from '../../workers/worker-id-field.js';

export class StartOptions {
  @BooleanField({
    description: 'Start even if a run with the same skript, worker and values is live.',
    default: false,
    optional: true,
  })
  force = false;

  @IntField({
    description:
      'How long to wait for the run to end, in ms. When the time is over, the answer is 202 and the run continues. Default: `worker_response_timeout` of the skript, but at most 60 s.',
    min: 0,
    max: LIMITS.workerResponseTimeoutMs.max,
    optional: true,
  })
  wait_ms?: number;

  @IntField({
    description: 'Time limit of each attempt, in ms. Default: `time_limit_ms` of the skript.',
    min: LIMITS.timeLimitMs.min,
    max: LIMITS.timeLimitMs.max,
    optional: true,
  })
  timeout_ms?: number;

  @IntField({
    description:
      'How many times to retry a run that fails with an error a retry may fix. Default: the skript’s setting.',
    min: LIMITS.retries.min,
    max: LIMITS.retries.max,
    optional: true,
  })
  retries?: number;

  @BooleanField({
    description:
      'Record the HTTP exchanges of the run, so that you can replay it. A run of a skript with the setting `record` is recorded anyway.',
    default: false,
    optional: true,
  })
  record = false;

  @IntField({
    description: 'Delay between a failed attempt of the run and its retry, in ms. Default: the skript’s setting.',
    min: LIMITS.retryDelayMs.min,
    max: LIMITS.retryDelayMs.max,
    optional: true,
  })
  retry_delay_ms?: number;
}

export class StartQuery extends StartOptions {}

export class StartStoredQuery extends StartOptions {
  @WorkerIdField({ optional: true, default: 'any' })
  worker_id = 'any';

  @SkriptIdField({ description: 'The skript to run.' })
  skript_id!: string;

  @InputIdField({ description: 'A saved input of the skript.', optional: true })
  input_id?: string;

  @InputSecretIdField({ description: 'A saved input secret of the skript.', optional: true })
  inputSecret_id?: string;
}

export class StartValues {
  @SkriptIdField({ description: 'The skript to run.' })
  skript_id!: string;

  @JsonField({
    description: 'First argument of `main.js`.',
    optional: true,
    example: { base_url: 'http://127.0.0.1:3001' },
  })
  input?: unknown;

  @JsonField({
    description: 'Second argument of `main.js`. Encrypted while the run is live, then erased.',
    optional: true,
  })
  inputSecret?: unknown;

  @InputIdField({ description: 'A saved input of the skript, instead of `input`.', optional: true })
  input_id?: string;

  @InputSecretIdField({ description: 'A saved input secret of the skript, instead of `inputSecret`.', optional: true })
  inputSecret_id?: string;
}

export class StartDto extends StartValues {
  @WorkerIdField({ optional: true, default: 'any' })
  worker_id = 'any';
}
