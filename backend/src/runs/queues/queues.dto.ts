import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../platform/common/entity.js';
import { StringField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';

export class QueuesQuery extends ListQuery {
  @StringField({ description: 'Lists only queues whose names contain this text.', max: 100, optional: true })
  name_contains?: string;
}

const count = (description: string, example: number) => ApiProperty({ type: 'integer', description, example });
const WaitingField = () => count('Requests that no run has taken. Includes those that wait for another try.', 812);
const TakenField = () => count('Requests that runs work on.', 10);
const DoneField = () => count('Requests that the queue never gives out again.', 4_120);
const FailedField = () => count('Requests that have had all their tries.', 3);

/** Requests that runs add and take. */
export class QueueDto extends EntityDto {
  @ApiProperty({ example: 'shop-pages' })
  name!: string;
  @WaitingField()
  waiting!: number;
  @TakenField()
  taken!: number;
  @DoneField()
  done!: number;
  @FailedField()
  failed!: number;
  @ApiProperty({
    type: 'integer',
    description: 'About how many requests were done in the last minute.',
    example: 240,
  })
  done_per_minute!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes that count as your storage.', example: 1_480_300 })
  bytes!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the next retry. Null if no request waits for a retry.',
  })
  next_at!: string | null;
}

/** The requests of a queue to one host. */
export class QueueHostDto {
  @ApiProperty({ description: 'With the port, unless it is the usual one.', example: 'shop.example' })
  host!: string;
  @WaitingField()
  waiting!: number;
  @TakenField()
  taken!: number;
  @DoneField()
  done!: number;
  @FailedField()
  failed!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Address of the next request in the queue. Null if the queue is empty or all requests wait for a retry.',
    example: 'https://shop.example/books?page=2',
  })
  next_url!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Error of a failed request. Null if no request failed or the skript gave no error.',
    example: 'Error: The page has no price.',
  })
  error!: string | null;
}

export class RetriedRequestsDto {
  @ApiProperty({ type: 'integer', description: 'Number of failed requests that wait again.', example: 3 })
  retried!: number;
}
