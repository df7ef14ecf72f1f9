import { z } from 'zod'
import { deviceId } from './ids.ts'
import { requestBody } from './request-body.ts'
import { utcTime } from './times.ts'

const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

export const simCard = z
  .strictObject({
    slotIndex: z.int().min(0).max(63).meta({ description: 'Counted from 0' }),
    simNumber,
    phoneNumber: z.string().optional(),
    carrierName: z.string().optional(),
    iccid: z.string().optional(),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Per cent' }),
    state: z.string().meta({ description: '`ready`, or why it is not', examples: ['ready', 'locked', 'searching'] }),
  })
  .meta({ id: 'SimCard' })

export const device = z
  .strictObject({
    id: deviceId,
    name: z.string(),
    createdAt: utcTime,
    updatedAt: utcTime,
    lastSeen: utcTime.meta({ description: 'Its creation, when it was never connected' }),
    deletedAt: utcTime.optional(),
    online: z.boolean(),
    simCards: z.array(simCard),
  })
  .meta({ id: 'Device' })

export const pairingCode = z
  .strictObject({
    code: z.string().length(10).meta({ description: 'Once and within ten minutes: `agent pair <url> <code>`' }),
    expiresAt: utcTime,
  })
  .meta({ id: 'PairingCode' })

/** Of TS 22.090: up to 182 characters of the default alphabet. */
const ussdText = z.string().min(1).max(182)

export const ussdRequest = requestBody({
  code: ussdText.meta({ description: 'A code, or with `sessionId` the reply', examples: ['*100#'] }),
  simNumber: simNumber.optional(),
  sessionId: z.string().min(1).max(64).optional().meta({ description: 'Of the answer that is replied to' }),
}).meta({ id: 'UssdRequest', examples: [{ code: '*100#', simNumber: 1 }] })

export const ussdAnswer = z
  .strictObject({
    text: z.string(),
    more: z.boolean().meta({ description: 'The network waits for a reply' }),
    sessionId: z.string().optional().meta({ description: 'To reply with' }),
  })
  .meta({ id: 'UssdAnswer' })

export type SimCardAnswer = z.output<typeof simCard>
export type DeviceAnswer = z.output<typeof device>
