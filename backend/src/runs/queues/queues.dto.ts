import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../platform/common/entity.js';
import { UuidField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';

const ACCOUNT_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

export class AllQueuesQuery extends ListQuery {
  @UuidField({ description: 'Only queues of this account.', optional: true })
  user_id?: string;
}

class QueueOwnerDto {
  @ApiProperty({ format: 'uuid', example: ACCOUNT_ID })
  id!: string;
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
}

/** Requests that runs add and take. */
export class QueueDto extends EntityDto {
  @ApiProperty({ example: 'shop-pages' })
  name!: string;
  @ApiProperty({
    type: 'integer',
    description: 'Number of requests that no run has taken. Those that wait for another try are included.',
    example: 812,
  })
  waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Number of requests that runs work on.', example: 10 })
  taken!: number;
  @ApiProperty({ type: 'integer', example: 4_120 })
  done!: number;
  @ApiProperty({ type: 'integer', example: 3 })
  failed!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes that count as your storage.', example: 1_480_300 })
  bytes!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the first request that waits for another try may be taken; null if none waits for that.',
  })
  next_at!: string | null;
}

/** A queue as administrators see it. */
export class PlatformQueueDto extends QueueDto {
  @ApiProperty()
  owner!: QueueOwnerDto;
}

/** The requests of a queue to one host. */
export class QueueHostDto {
  @ApiProperty({ description: 'With the port, unless it is the usual one.', example: 'shop.example' })
  host!: string;
  @ApiProperty({ type: 'integer', example: 812 })
  waiting!: number;
  @ApiProperty({ type: 'integer', example: 10 })
  taken!: number;
  @ApiProperty({ type: 'integer', example: 4_120 })
  done!: number;
  @ApiProperty({ type: 'integer', example: 3 })
  failed!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The request that is taken next; null if none waits, or all wait for another try.',
    example: 'https://shop.example/books?page=2',
  })
  next_url!: string | null;
}
