import { ApiProperty } from '@nestjs/swagger';

export class DiskDto {
  @ApiProperty({ type: 'integer', description: 'Free bytes on the disk.', example: 52_613_349_376 })
  free_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Size of the disk in bytes.', example: 107_374_182_400 })
  total_bytes!: number;
  @ApiProperty({ description: 'Whether less is free than `TRAWL_DISK_WARN_MB` says.', example: false })
  is_low!: boolean;
}

export class WorkerDiskDto extends DiskDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'Name of the worker.', example: 'local' })
  name!: string;
}

export class PostgresSizeDto {
  @ApiProperty({ type: 'integer', description: 'Size of the platform’s database in bytes.', example: 734_003_200 })
  size_bytes!: number;
}

export class ObjectStoreHealthDto {
  @ApiProperty({ description: 'Name of the bucket.', example: 'trawl-echoes' })
  bucket!: string;
  @ApiProperty({ description: 'Whether the last request of this backend succeeded.', example: true })
  is_available!: boolean;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the first request failed. Null if the bucket is available.',
    example: null,
  })
  unavailable_since!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why that request failed. Null if the bucket is available.',
    example: null,
  })
  reason!: string | null;
}

export class PlatformHealthDto {
  @ApiProperty({ type: DiskDto, description: 'Disk of the data folder of the backend that answers.' })
  disk!: DiskDto;
  @ApiProperty({ type: PostgresSizeDto })
  postgres!: PostgresSizeDto;
  @ApiProperty({
    type: WorkerDiskDto,
    isArray: true,
    description: 'Disks of the workers that are connected and report theirs, the fullest first; at most 100.',
  })
  worker_disks!: WorkerDiskDto[];
  @ApiProperty({
    type: ObjectStoreHealthDto,
    nullable: true,
    description:
      'Object store (S3) with saved echoes, as the backend that answers sees it. It makes a request every minute. Null if the platform has none.',
  })
  object_store!: ObjectStoreHealthDto | null;
}
