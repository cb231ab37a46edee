import { ApiProperty } from '@nestjs/swagger';
import type { Action } from '@trawl/contracts';

const CountField = (action: Action, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', description: `Number of runs whose \`action\` is now \`${action}\`.`, example });

/** Number of runs by their present action. */
export class ActionCountsDto implements Record<Action, number> {
  @CountField('start', 2)
  start!: number;
  @CountField('pause', 0)
  pause!: number;
  @CountField('stop', 1)
  stop!: number;
  @CountField('end', 55)
  end!: number;
  @CountField('error', 3)
  error!: number;
}
