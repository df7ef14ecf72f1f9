import { z } from 'zod'
import { deviceId } from '../fields/ids.ts'
import { nameText } from '../fields/name-text.ts'
import { pinPattern } from '../fields/patterns.ts'
import { requestBody } from '../fields/request-body.ts'
import { queryBoolean, requestQuery } from '../fields/request-query.ts'
import { instant, utcTime } from '../fields/times.ts'
import { aliasKeyIdForm } from './number-alias.ts'

const isEmulated = z.literal(true).optional()
const isPhone = z.literal(true).optional()

const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

export const simCard = z
  .strictObject({
    slotIndex: z.int().min(0).max(63).meta({ description: 'Counted from 0' }),
    simNumber,
    name: z.string().optional().meta({ description: 'Name given to the slot with `PATCH`' }),
    phoneNumber: z.string().optional(),
    carrierName: z.string().optional(),
    iccid: z.string().optional(),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Signal strength in per cent' }),
    state: z.string().meta({
      description: '`ready`, or the reason why the SIM is not ready',
      examples: ['ready', 'locked', 'searching'],
    }),
    isEmulated: isEmulated.meta({ description: "True when the SIM's modem is virtual; absent for a real modem" }),
  })
  .meta({ id: 'SimCard' })

const aliasKeyAnswer = z
  .strictObject({
    id: z
      .string()
      .regex(aliasKeyIdForm)
      .meta({ description: 'Id of the key: the 16 characters after `alias:` in each alias made with it' }),
    key: z.string().meta({ description: 'The key, encrypted with the `encryption.inbox_public_key` of the account' }),
  })
  .meta({ id: 'AliasKey' })

export const device = z
  .strictObject({
    id: deviceId,
    name: z.string(),
    createdAt: utcTime,
    updatedAt: utcTime,
    lastSeen: utcTime.meta({
      description: 'Time of the last connection; the creation time for a device that was never connected',
    }),
    deletedAt: utcTime.optional().meta({ description: 'Absent while the device exists' }),
    online: z.boolean(),
    simCards: z.array(simCard),
    isEmulated: isEmulated.meta({
      description:
        'True when all modems of the device are virtual, so that its messages reach no phone; absent otherwise',
    }),
    isPhone: isPhone.meta({
      description:
        'True for a phone with the app *SMS Gateway for Android*, which reports the states of its messages itself; absent for an agent',
    }),
    publicKey: z.string().optional().meta({ description: 'Key with which senders encrypt messages for this device' }),
    keyVersion: z.int().min(0).optional().meta({ description: 'Version of `publicKey`' }),
    aliasKeys: z.array(aliasKeyAnswer).optional().meta({
      description: 'Keys with which the device made the aliases of phone numbers; absent if it made none',
    }),
  })
  .meta({ id: 'Device' })

export const listDevicesQuery = requestQuery({
  includeDeleted: queryBoolean.default(false).meta({
    description: 'List deleted devices as well, for example to decrypt the aliases that they made',
    default: false,
  }),
})

const simName = z.strictObject({
  simNumber,
  name: nameText(64).meta({ description: 'An empty text removes the name' }),
})

/** Changes the given members and keeps the others. */
export const changeDeviceRequest = requestBody({
  name: nameText(128).min(1).optional(),
  simCards: z
    .array(simName)
    .max(64)
    .optional()
    .meta({ description: 'Names of SIM slots. Slots that are not listed keep their names' }),
}).meta({
  id: 'ChangeDeviceRequest',
  examples: [{ name: 'Office', simCards: [{ simNumber: 1, name: 'Support line' }] }],
})

const modem = z
  .strictObject({
    simNumber: simNumber.optional().meta({ description: "Slot of the modem's SIM; absent while the SIM is unknown" }),
    state: z.string().meta({ description: "Same as the state of the modem's SIM" }),
    manufacturer: z.string().optional(),
    model: z.string().optional(),
    firmware: z.string().optional(),
    imei: z.string().max(4).optional().meta({ description: 'Last four digits' }),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Signal strength in per cent' }),
    signalDbm: z.number().optional(),
    operator: z.string().optional(),
    technology: z.string().optional(),
    registration: z
      .string()
      .optional()
      .meta({ examples: ['home', 'roaming', 'denied'] }),
    storageUsed: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Number of messages in the message storage of the modem' }),
    storageTotal: z.int().min(0).optional(),
    recoverySteps: z.int().min(0).optional().meta({ description: 'Number of recovery steps since the last failure' }),
    lastError: z.string().optional().meta({ description: 'Current problem of the modem' }),
    lastErrorCode: z
      .string()
      .optional()
      .meta({
        description: 'Stable code of `lastError`. Findings use the same codes',
        examples: ['modem.puk-required'],
      }),
  })
  .meta({ id: 'Modem' })

const deviceError = z
  .strictObject({ at: utcTime, priority: z.enum(['WARN', 'ERROR']), module: z.string(), message: z.string() })
  .meta({ id: 'DeviceError' })

/** The device as in the list, with the latest report of its agent. */
export const deviceDetail = device
  .extend({
    version: z.string().optional().meta({ description: 'Version of the agent' }),
    platform: z
      .string()
      .optional()
      .meta({ examples: ['linux arm64'] }),
    keyFingerprint: z
      .string()
      .length(64)
      .optional()
      .meta({ description: 'SHA-256 of `publicKey` in hexadecimal. `agent status` prints the same value' }),
    connectedSince: utcTime.optional().meta({ description: 'Absent when the device is not connected' }),
    queue: z.strictObject({
      pending: z.int().min(0).meta({ description: 'Recipients not yet sent to the agent or not yet confirmed by it' }),
      processed: z.int().min(0).meta({ description: 'Recipients confirmed by the agent, but not finished' }),
    }),
    journal: z
      .strictObject({
        sizeBytes: z.int().min(0).optional(),
        fsyncMs: z
          .number()
          .min(0)
          .optional()
          .meta({ description: 'Duration of a small synced write to disk, in milliseconds' }),
      })
      .optional(),
    modems: z.array(modem).meta({ description: 'The modems in the last report, which is up to half a minute old' }),
    lastErrors: z
      .array(deviceError)
      .meta({ description: 'The last errors and warnings in the log of the device, at most 10, newest first' }),
  })
  .meta({ id: 'DeviceDetail' })

export const deviceTelemetryQuery = requestQuery({
  from: instant.optional().meta({
    description:
      'Default: one day before `to`. All samples of the last hour are kept. Of older samples, one per minute is kept up to an age of one day, and one per hour up to an age of 30 days',
  }),
  to: instant.optional().meta({ description: 'Default: now' }),
})

export const telemetryPoint = z
  .strictObject({
    at: utcTime,
    simNumber: simNumber.optional(),
    signal: z.int().min(0).max(100).optional().meta({ description: 'Signal strength in per cent' }),
    signalDbm: z.number().optional(),
    registration: z.string().optional(),
    queue: z.int().min(0).optional().meta({ description: 'Number of messages queued at the agent' }),
    fsyncMs: z.number().min(0).optional(),
    storageUsed: z.int().min(0).optional(),
    recoverySteps: z.int().min(0).optional(),
  })
  .meta({ id: 'TelemetryPoint' })

export const pairingCode = z
  .strictObject({
    code: z
      .string()
      .length(10)
      .meta({ description: 'Pairing code that can be used once, within ten minutes: `agent pair <url> <code>`' }),
    expiresAt: utcTime,
  })
  .meta({ id: 'PairingCode' })

/** A USSD text has up to 182 characters of the default alphabet (TS 22.090). */
const ussdText = z.string().min(1).max(182)

export const ussdRequest = requestBody({
  code: ussdText.meta({
    description: 'USSD code. If `sessionId` is set: the reply to the last question of the network',
    examples: ['*100#'],
  }),
  simNumber: simNumber.optional(),
  sessionId: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'To continue a session: the `sessionId` that came with the last answer of the network' }),
}).meta({ id: 'UssdRequest', examples: [{ code: '*100#', simNumber: 1 }] })

export const ussdAnswer = z
  .strictObject({
    text: z.string(),
    more: z.boolean().meta({ description: 'True when the network waits for a reply' }),
    sessionId: z.string().optional().meta({ description: 'Id of the session; include it in the reply' }),
  })
  .meta({ id: 'UssdAnswer' })

export const enterPinRequest = requestBody({
  simNumber,
  pin: z
    .string()
    .regex(pinPattern, 'must have four to eight digits')
    .meta({ description: 'PIN of the SIM. Four to eight digits', format: 'password' }),
  save: z.boolean().optional().meta({
    description:
      'True saves the PIN on the machine of the device if the SIM accepts the PIN. The agent then enters it at each start. Default: false',
  }),
}).meta({ id: 'EnterPinRequest', examples: [{ simNumber: 1, pin: '1234' }] })

export const enteredPin = z
  .strictObject({
    unlocked: z.boolean().meta({ description: 'True when the SIM accepted the PIN' }),
    saved: z.boolean().optional().meta({ description: 'True when the PIN was saved; absent if `save` was not true' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why the SIM is still locked, or why the PIN was not saved, and what to do' }),
    code: z
      .string()
      .optional()
      .meta({
        description:
          'Stable code of `reason`: the code of a finding, or `pin.set-on-machine` or `pin.not-written` for a PIN that was not saved',
        examples: ['modem.pin-wrong'],
      }),
    triesLeft: z.int().min(0).optional().meta({
      description: 'PIN attempts left until the SIM requires its PUK; absent if the modem does not report them',
    }),
  })
  .meta({ id: 'EnteredPin' })

export const restartModemRequest = requestBody({ simNumber }).meta({
  id: 'RestartModemRequest',
  examples: [{ simNumber: 1 }],
})

const finding = z
  .strictObject({
    check: z.string().meta({ examples: ['disk space', 'SIM 1, network'] }),
    verdict: z.enum(['ok', 'warning', 'problem']),
    text: z.string(),
    advice: z.string().optional().meta({ description: 'Recommended action' }),
    code: z
      .string()
      .optional()
      .meta({
        description:
          'Stable code of `text` and `advice`; absent if the agent is too old to send a code, or if this release does not know the code',
        examples: ['network.denied', 'port.forbidden'],
      }),
    values: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .meta({ description: 'The values in `text` and `advice`, for example the name of a port' }),
    simNumber: simNumber
      .optional()
      .meta({ description: 'The SIM that was checked; absent for a check of the machine' }),
    commands: z
      .array(z.string())
      .optional()
      .meta({ description: 'Commands that solve the problem. Run them on the machine of the device, in this order' }),
  })
  .meta({ id: 'Finding' })

export const findings = z
  .strictObject({
    checkedAt: utcTime,
    findings: z
      .array(finding)
      .meta({ description: 'The findings in the order of the checks: first the machine, last the network' }),
  })
  .meta({ id: 'Findings' })

export type SimCardAnswer = z.output<typeof simCard>
export type DeviceAnswer = z.output<typeof device>
export type DeviceDetailAnswer = z.output<typeof deviceDetail>
export type FindingsAnswer = z.output<typeof findings>
export type PairingCodeAnswer = z.output<typeof pairingCode>
export type EnteredPinAnswer = z.output<typeof enteredPin>
export type UssdAnswer = z.output<typeof ussdAnswer>
export type ModemAnswer = z.output<typeof modem>
export type TelemetryPoint = z.output<typeof telemetryPoint>
