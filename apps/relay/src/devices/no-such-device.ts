import { ApiError } from '../http/api-error.ts'

export function noSuchDevice(): ApiError {
  return new ApiError(404, 'There is no such device: GET /devices lists them')
}
