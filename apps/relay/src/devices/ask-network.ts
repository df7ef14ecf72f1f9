import { ussdAnswer, ussdRequest } from '@smsgw/contract/device'
import { idParams } from '@smsgw/contract/ids'
import { z } from 'zod'
import { ApiError } from '../http/api-error.ts'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { type AskDeviceNeeds, askDevice } from './ask-device.ts'

/** USSD through a device. */
export function askNetwork(needs: AskDeviceNeeds): Endpoint {
  return endpoint({
    params: idParams,
    body: ussdRequest,
    answers: { 200: ussdAnswer },
    errors: [404, 409, 503, 504],
    async handle({ principal: { accountId }, params: { id: deviceId }, body }) {
      const { code, simNumber, sessionId } = body
      const answer = await askDevice(needs, {
        accountId,
        deviceId,
        command: (cmdId) => ({
          kind: 'ussd',
          cmdId,
          code,
          ...(simNumber !== undefined && { simNumber }),
          ...(sessionId !== undefined && { sessionId }),
        }),
        limitMs: LONGEST_MS,
        absent: () =>
          new ApiError(503, 'The device is not connected now: try again when it is', {
            headers: { 'Retry-After': '30' },
          }),
      })
      return answerOf(answer ?? { outcome: 'no-answer' })
    },
  })
}

const told = z.object({
  outcome: z.string(),
  text: z.string().default(''),
  more: z.boolean().default(false),
  sessionId: z.string().optional(),
  reason: z.string().optional(),
})

function answerOf(answer: unknown): Answer {
  const { outcome, text, more, sessionId, reason } = told.parse(answer)
  switch (outcome) {
    case 'answered':
      return { status: 200, body: { text, more, ...(sessionId !== undefined && { sessionId }) } }
    case 'no-answer':
      throw new ApiError(504, 'The network does not answer: try again in a while, or check the code')
    case 'busy':
      throw new ApiError(409, reason ?? 'The SIM is in another conversation with the network: try again in a while')
    default:
      throw new ApiError(409, reason ?? 'The device cannot ask the network now')
  }
}

/** The network may take two minutes (27.007), and so may the way to it. */
const LONGEST_MS = 130_000
