import { readFunctionality, selectFunctionality } from '../commands/functionality.ts'
import {
  type ModemNumber,
  readFirmware,
  readInformation,
  readManufacturer,
  readModel,
  readModemNumber,
} from '../commands/identity.ts'
import { askIfKnown, type Query, runQuery } from '../commands/query.ts'
import { Pause } from '../pause.ts'
import { chooseProfile } from '../profiles/fingerprint.ts'
import { genericProfile } from '../profiles/generic.ts'
import type { Profile, RadioTraits } from '../profiles/profile.ts'
import type { StartupContext } from './startup-context.ts'

export interface ModemIdentity extends ModemNumber {
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
}

export interface IdentifiedModem {
  readonly identity: ModemIdentity
  readonly profile: Profile
  /** The modem refused these commands, which set the form of its answers. */
  readonly refused: readonly string[]
}

/** Identifies the modem and chooses its profile. Switches off status codes as soon as the vendor is known. */
export async function identifyModem(context: StartupContext): Promise<IdentifiedModem> {
  const known = <T>(query: Query<T>) => askIfKnown(context.dialogue, query, context.cancellation)
  const send = (text: string) => known<true>({ text, timeoutMs: 5000, read: () => true })
  const calmed = await heedBus(context, send)
  const refused: string[] = []
  for (const text of formOfAnswers) if ((await send(text)) === undefined) refused.push(text)
  const manufacturer = await known(readManufacturer)
  const model = await known(readModel)
  const firmware = await known(readFirmware)
  const information = manufacturer === undefined || model === undefined ? await known(readInformation) : undefined
  const facts = {
    manufacturer: manufacturer ?? information?.manufacturer,
    model: model ?? information?.model,
    firmware: firmware ?? information?.firmware,
    usb: context.options.usb,
  }
  const profile = chooseProfile(context.options.catalogue, genericProfile, facts)
  if (profile.name !== calmed?.name) await calmDown(context, profile, send)
  const number = await readModemNumberOf(context)
  await switchRadioOn(context, profile.radio)
  return {
    identity: { ...number, manufacturer: facts.manufacturer, model: facts.model, firmware: facts.firmware },
    profile,
    refused,
  }
}

/** Reads the IMEI or the serial number; both are undefined if the modem reports neither. */
export async function readModemNumberOf({ dialogue, cancellation }: StartupContext): Promise<ModemNumber> {
  const number = await readModemNumber((query) => runQuery(dialogue, query, cancellation))
  return number ?? { imei: undefined, serial: undefined }
}

/**
 * Determines the vendor by its USB id before the modem has answered. Some ports appear before the modem can be used,
 * and some modems send so much output that the output must be switched off before a query.
 */
async function heedBus(context: StartupContext, send: Send): Promise<Profile | undefined> {
  const { usb, catalogue } = context.options
  if (usb === undefined) return undefined
  const facts = { manufacturer: undefined, model: undefined, firmware: undefined, usb }
  const profile = chooseProfile(catalogue, genericProfile, facts)
  if (profile.radio.contactSettleMs > 0) {
    await new Pause(context.clock).wait(profile.radio.contactSettleMs, context.cancellation)
    await context.dialogue.resynchronise()
  }
  await calmDown(context, profile, send)
  return profile
}

async function calmDown(context: StartupContext, profile: Profile, send: Send): Promise<void> {
  context.dialogue.learn(profile.unsolicited)
  context.onProfile(profile)
  for (const text of profile.calming) await send(text)
}

type Send = (text: string) => Promise<unknown>

// No echo, results as text, and errors as numbers.
const formOfAnswers = ['ATE0', 'ATV1', 'AT+CMEE=1']

/** Switches the radio on, because some programs and some modems leave it switched off. */
async function switchRadioOn(context: StartupContext, radio: RadioTraits): Promise<void> {
  const functionality = await askIfKnown(context.dialogue, readFunctionality, context.cancellation)
  const on = functionality === undefined || functionality === fullFunctionality
  if (radio.switchOnAtStart === 'if-off' && on) return
  await runQuery(context.dialogue, selectFunctionality(fullFunctionality), context.cancellation)
  if (radio.settleMs === 0) return
  await new Pause(context.clock).wait(radio.settleMs, context.cancellation)
  await context.dialogue.resynchronise()
}

const fullFunctionality = 1
