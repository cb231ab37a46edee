import { ApiProperty } from '@nestjs/swagger';

/** The connections and bytes of a run through proxies. */
export class ProxyUseDto {
  @ApiProperty({ type: 'integer', description: 'Connections that proxies opened.', example: 240 })
  connections!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Connections that proxies refused or did not open in time.',
    example: 3,
  })
  failures!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes sent through proxies.', example: 48_000 })
  bytes_sent!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes received through proxies.', example: 9_600_000 })
  bytes_received!: number;
  @ApiProperty({
    type: 'number',
    nullable: true,
    description:
      'Sum of the bytes at the prices of their pools when the run reported them. Null: the pools had no price.',
    example: 0.03,
  })
  cost!: number | null;
}
