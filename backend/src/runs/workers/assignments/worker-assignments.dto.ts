import { ApiProperty } from '@nestjs/swagger';
import { UuidField } from '../../../platform/http/fields.js';

/** A user to whom a worker or a group is assigned. */
export class AssignedUser {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072' })
  user_id!: string;
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
  @ApiProperty({ format: 'date-time', example: '2026-02-15T09:30:00.000Z' })
  created_at!: string;
}

export class WorkerAssignmentDto extends AssignedUser {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  worker_id!: string;
}

export class WorkerGroupAssignmentDto extends AssignedUser {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073' })
  group_id!: string;
}

export class NewWorkerAssignmentDto {
  @UuidField({ description: 'Id of the user who gets the worker.', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072' })
  user_id!: string;
}

export class NewWorkerGroupAssignmentDto {
  @UuidField({ description: 'Id of the user who gets the group.', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072' })
  user_id!: string;
}
