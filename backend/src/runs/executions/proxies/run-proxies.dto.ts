import { ApiProperty } from '@nestjs/swagger';
import { ProxyUseDto } from '../../proxies/proxy-use.dto.js';

/** The use of one proxy by a run. */
export class RunProxyDto extends ProxyUseDto {
  @ApiProperty({ format: 'uuid', description: 'Id of the proxy, also after you have deleted it.' })
  id!: string;
  @ApiProperty({ description: 'Name of its pool when the run first reported it.', example: 'residential' })
  pool!: string;
  @ApiProperty({
    description: 'Address without user name and password, which the API never returns.',
    example: 'http://proxy.example:8080',
  })
  address!: string;
}
