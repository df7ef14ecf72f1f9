import { z } from 'zod'
import { deviceId } from './ids.ts'
import { requestBody } from './request-body.ts'
import { requestQuery } from './request-query.ts'
import { instant, utcTime } from './times.ts'

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

const modem = z
  .strictObject({
    simNumber: simNumber.optional().meta({ description: 'Left out while nobody knows which SIM it holds' }),
    state: z.string().meta({ description: 'As of its SIM' }),
    manufacturer: z.string().optional(),
    model: z.string().optional(),
    firmware: z.string().optional(),
    imei: z.string().max(4).optional().meta({ description: 'The last four digits' }),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Per cent' }),
    signalDbm: z.number().optional(),
    operator: z.string().optional(),
    technology: z.string().optional(),
    registration: z
      .string()
      .optional()
      .meta({ examples: ['home', 'roaming', 'denied'] }),
    storageUsed: z.int().min(0).optional().meta({ description: 'Messages in its memories' }),
    storageTotal: z.int().min(0).optional(),
    recoverySteps: z.int().min(0).optional().meta({ description: 'Tried since something went wrong' }),
    lastError: z.string().optional().meta({ description: 'Why it does not work as it should now' }),
  })
  .meta({ id: 'Modem' })

const deviceError = z
  .strictObject({ at: utcTime, priority: z.enum(['WARN', 'ERROR']), module: z.string(), message: z.string() })
  .meta({ id: 'DeviceError' })

/** The device as in the list, and what its agent told last. */
export const deviceDetail = device
  .extend({
    version: z.string().optional().meta({ description: 'Of its agent' }),
    platform: z
      .string()
      .optional()
      .meta({ examples: ['linux arm64'] }),
    connectedSince: utcTime.optional().meta({ description: 'Left out when it is not connected' }),
    queue: z.strictObject({
      pending: z.int().min(0).meta({ description: 'Recipients that it was not given yet, or has not taken on' }),
      processed: z.int().min(0).meta({ description: 'Recipients that it has taken on, and not finished' }),
    }),
    journal: z
      .strictObject({
        sizeBytes: z.int().min(0).optional(),
        fsyncMs: z.number().min(0).optional().meta({ description: 'Until a small write is safe on its disk' }),
      })
      .optional(),
    modems: z.array(modem).meta({ description: 'As it told last, which may be half a minute ago' }),
    lastErrors: z.array(deviceError).meta({ description: 'At most 10 of its log, newest first' }),
  })
  .meta({ id: 'DeviceDetail' })

export const deviceTelemetryQuery = requestQuery({
  from: instant.optional().meta({ description: 'Default: a day before `to`. A week is kept' }),
  to: instant.optional().meta({ description: 'Default: now' }),
})

export const telemetryPoint = z
  .strictObject({
    at: utcTime,
    simNumber: simNumber.optional(),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Per cent' }),
    signalDbm: z.number().optional(),
    registration: z.string().optional(),
    queue: z.int().min(0).optional().meta({ description: 'Messages that the agent holds' }),
    fsyncMs: z.number().min(0).optional(),
    storageUsed: z.int().min(0).optional(),
    recoverySteps: z.int().min(0).optional(),
  })
  .meta({ id: 'TelemetryPoint' })

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

const finding = z
  .strictObject({
    check: z.string().meta({ examples: ['disk space', 'SIM 1, network'] }),
    verdict: z.enum(['ok', 'warning', 'problem']),
    text: z.string(),
    advice: z.string().optional().meta({ description: 'What to do' }),
  })
  .meta({ id: 'Finding' })

export const findings = z
  .strictObject({
    checkedAt: utcTime,
    findings: z.array(finding).meta({ description: 'From the machine up to the network' }),
  })
  .meta({ id: 'Findings' })

export type SimCardAnswer = z.output<typeof simCard>
export type DeviceAnswer = z.output<typeof device>
export type DeviceDetailAnswer = z.output<typeof deviceDetail>
export type FindingsAnswer = z.output<typeof findings>
export type PairingCodeAnswer = z.output<typeof pairingCode>
export type UssdAnswer = z.output<typeof ussdAnswer>
export type ModemAnswer = z.output<typeof modem>
export type TelemetryPoint = z.output<typeof telemetryPoint>
