import { ApiProperty } from '@nestjs/swagger';

class DeclarationFileDto {
  @ApiProperty({ example: 'node_modules/ms/index.d.ts' })
  path!: string;
  @ApiProperty()
  content!: string;
}

class LibraryWithoutTypesDto {
  @ApiProperty({ example: 'ms' })
  library!: string;
  @ApiProperty({ description: 'Why its types are missing.', example: 'ms has no types.' })
  reason!: string;
}

export class LibraryTypesDto {
  @ApiProperty({
    type: [DeclarationFileDto],
    description: 'The declaration files that TypeScript can reach from the libraries, and their `package.json` files.',
  })
  files!: DeclarationFileDto[];
  @ApiProperty({
    type: [LibraryWithoutTypesDto],
    description: 'The libraries whose types are too large or cannot be loaded.',
  })
  left_out!: LibraryWithoutTypesDto[];
}
