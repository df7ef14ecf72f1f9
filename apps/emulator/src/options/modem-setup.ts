import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { z } from 'zod'
import { faultSettings } from './fault-settings.ts'
import { tcpAddress } from './tcp-address.ts'

/** A phone number with its country code. */
export const subscriberNumber = z.string().regex(/^\+[1-9]\d{3,14}$/, 'must look like +447700900001')

export const personalityName = z.string().refine((name) => Object.hasOwn(personalities, name), {
  error: () => `must be one of ${Object.keys(personalities).join(', ')}`,
})

export const simSetup = z.strictObject({
  number: subscriberNumber.optional(),
  iccid: z
    .string()
    .regex(/^\d{19,20}$/, 'must be 19 or 20 digits')
    .optional(),
  imsi: z
    .string()
    .regex(/^\d{15}$/, 'must be 15 digits')
    .optional(),
  pin: z
    .string()
    .regex(/^\d{4,8}$/, 'must be 4 to 8 digits')
    .optional(),
  puk: z
    .string()
    .regex(/^\d{8}$/, 'must be 8 digits')
    .optional(),
  pinAttemptsLeft: z.int().min(0).max(3).optional(),
  serviceCentre: subscriberNumber.optional(),
  serviceProviderName: z.string().max(16).optional(),
  messageCapacity: z.int().min(1).max(255).optional(),
  phonebook: z
    .array(z.strictObject({ name: z.string().max(14), number: z.string().regex(/^\+?[0-9*#]{1,20}$/) }))
    .optional(),
  /** True if the SIM stores its own number. Many operators leave that field empty. */
  ownNumberStored: z.boolean().optional(),
  lastMessageReference: z.int().min(0).max(255).optional(),
})
export type SimSetup = z.infer<typeof simSetup>

/** A modem in a scenario, in `--modem` and in the control interface. */
export const modemSetup = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and dashes, for example modem0')
    .optional(),
  personality: personalityName.default('quectel-ec25'),
  imei: z
    .string()
    .regex(/^\d{15}$/, 'must be 15 digits')
    .optional(),
  /** null: no SIM. */
  sim: simSetup.nullable().optional(),
  tcp: tcpAddress.optional(),
  pty: z.string().min(1).optional(),
  /** The TCP address of another port of the same modem. */
  secondTcp: tcpAddress.optional(),
  secondPty: z.string().min(1).optional(),
  faults: faultSettings.optional(),
})
export type ModemSetup = z.infer<typeof modemSetup>

/** Default folder of pseudo-terminal links. */
export const PTY_FOLDER = './data/emulator'
