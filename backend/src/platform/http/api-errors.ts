import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorBody, type ApiErrorCode } from '@trawl/contracts';
import { ANY_JSON } from './fields.js';

/** Body of every error response. */
export class ErrorBodyDto implements ApiErrorBody {
  @ApiProperty({
    description: 'Message for people. The text may change.',
    example: 'There is no skript with this id.',
  })
  error_message!: string;

  @ApiProperty({ enum: Object.keys(API_ERRORS), description: 'Error code for programs.', example: 'not_found' })
  error_code!: ApiErrorCode;

  @ApiPropertyOptional({
    description:
      'Details that depend on the code, such as the fields for `validation_failed` or the locations for `bundle_failed`.',
    ...ANY_JSON,
  })
  details?: unknown;

  @ApiProperty({ description: 'Id of this request in the server’s log.' })
  request_id!: string;
}

/** Documents the errors of a route, or of every route of a controller. */
export function ApiErrors(...codes: ApiErrorCode[]) {
  const statuses = [...new Set(codes.map(code => API_ERRORS[code]))];
  const responses = statuses.map(status =>
    ApiResponse({
      status,
      description: codes.flatMap(code => (API_ERRORS[code] === status ? [`\`${code}\``] : [])).join(', '),
      schema: { $ref: getSchemaPath(ErrorBodyDto) },
    }),
  );
  return applyDecorators(ApiExtraModels(ErrorBodyDto), ...responses);
}
