import { MAX_RECORD_PROBLEM_CHARS, ON_MISS, type OnMiss } from '@trawl/contracts';
import { EnumField, IntField, JsonField, StringField } from '../../../platform/http/fields.js';
import { WorkerIdField } from '../../workers/worker-id-field.js';

export class ReplayDto {
  @EnumField(ON_MISS, {
    description:
      'Action for a request that has no answer in the record. `fail`: the run ends with `replay_miss`. `network`: the request goes to the network.',
    default: 'fail',
    optional: true,
  })
  on_miss: OnMiss = 'fail';

  @StringField({
    description: 'The version of the skript to run: the `hash` of one of its versions. Default: its current files.',
    min: 64,
    max: 64,
    pattern: /^[0-9a-f]+$/,
    expected: 'the hash of a version',
    example: '5f8cce0fd4f1c1c6a4a1d0a8cb1e6bd7b6c9a4f0d7d5c8d64c6b2f8d1e2f3a4b',
    optional: true,
  })
  version?: string;

  @WorkerIdField({ optional: true, default: 'any' })
  worker_id = 'any';

  @JsonField({
    description:
      'First argument of `main.js`. Default: the input of the recorded run, or the current value of its saved input. Send an input if the recorded run had an unsaved input of more than 64 KB.',
    optional: true,
    example: { base_url: 'http://127.0.0.1:3001' },
  })
  input?: unknown;

  @JsonField({
    description:
      'Second argument of `main.js`. Default: the saved input secret of the recorded run. Send it if that run was started with another value. A record has no secrets, so any value of the same shape works.',
    optional: true,
  })
  inputSecret?: unknown;
}

export class ReplayQuery {
  @IntField({
    description:
      'How long to wait for the run to end, in ms. When the time is over, the answer is 202 and the run continues. Default: as for a start.',
    min: 0,
    max: 3_600_000,
    optional: true,
  })
  wait_ms?: number;
}

export class RecordQuery {
  @IntField({ description: 'Number of exchanges.', min: 0, max: 50_000 })
  exchanges!: number;

  @StringField({
    description: 'Why the run has no record, or what its record lacks.',
    max: MAX_RECORD_PROBLEM_CHARS,
    optional: true,
  })
  problem?: string | null;
}
