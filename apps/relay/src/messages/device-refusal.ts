import type { SendMessageRequest } from '@smsgw/contract/message'
import { ApiError } from '../http/api-error.ts'
import { refusal } from '../http/validation-error.ts'
import type { DeviceProblem } from './choose-device.ts'

const RETRY_AFTER_SECONDS = 10

/** Why no device can take a message, and what to do. */
export function deviceRefusal(problem: DeviceProblem, { simNumber }: Pick<SendMessageRequest, 'simNumber'>): ApiError {
  switch (problem) {
    case 'none':
      return new ApiError(
        400,
        'The account has no device to send with: make a pairing code with POST /devices/codes and run `agent pair` with it',
      )
    case 'unknown':
      return refusal([{ path: 'deviceId', message: 'is no device of this account: see GET /devices' }], 'body')
    case 'no-such-sim':
      return refusal([{ path: 'simNumber', message: `is no slot of the device: it has no SIM ${simNumber}` }], 'body')
    case 'not-active':
      return new ApiError(400, 'No device was seen within deviceActiveWithin hours: raise it, or leave it out')
    case 'queue-full':
      return new ApiError(503, 'Too many messages wait for the device: try again later', {
        headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      })
  }
}
