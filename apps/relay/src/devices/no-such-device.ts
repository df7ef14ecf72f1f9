import { ApiError } from '../http/api-error.ts'

export function noSuchDevice(): ApiError {
  return new ApiError(404, 'No device has this id: see GET /devices')
}
