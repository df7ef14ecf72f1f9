import { ussdAnswer, ussdRequest } from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import { z } from 'zod'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { mayUseSim, simRefusal } from '../messages/accept/key-limits.ts'
import { type AskDeviceDeps, askDevice } from './ask-device.ts'

/** Sends a USSD request through a device. */
export function askNetwork(deps: AskDeviceDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: ussdRequest,
    answers: { 200: ussdAnswer },
    errors: [404, 409, 503, 504],
    async handle({ principal, params: { id: deviceId }, body, access }) {
      const { accountId } = principal
      const { code, simNumber, sessionId } = body
      if (!mayUseSim(principal, deviceId, simNumber)) throw simRefusal(principal)
      const answer = await askDevice(deps, {
        accountId,
        deviceId,
        access,
        command: (cmdId) => ({
          kind: 'ussd',
          cmdId,
          code,
          ...(simNumber !== undefined && { simNumber }),
          ...(sessionId !== undefined && { sessionId }),
        }),
        limitMs: LONGEST_MS,
        offline: () =>
          new ApiError(503, 'The device is offline: try again when it is online', {
            reason: 'device_offline',
            headers: { 'Retry-After': '30' },
          }),
      })
      return answerOf(answer ?? { outcome: 'no-answer' })
    },
  })
}

const networkAnswer = z.object({
  outcome: z.string(),
  text: z.string().default(''),
  more: z.boolean().default(false),
  sessionId: z.string().optional(),
  reason: z.string().optional(),
})

function answerOf(answer: unknown): Answer {
  const { outcome, text, more, sessionId, reason } = networkAnswer.parse(answer)
  switch (outcome) {
    case 'answered':
      return { status: 200, body: { text, more, ...(sessionId !== undefined && { sessionId }) } }
    case 'no-answer':
      throw new ApiError(504, 'The network did not answer: try again later, or check the code', {
        reason: 'network_silent',
      })
    case 'busy':
      throw new ApiError(409, reason ?? 'The SIM is busy with another USSD session: try again later', {
        reason: 'sim_busy',
      })
    default:
      throw new ApiError(409, reason ?? 'The device cannot send USSD requests now: try again later')
  }
}

/** The network may take two minutes to answer (3GPP TS 27.007), and the modem may be busy for that long. */
const LONGEST_MS = 130_000
