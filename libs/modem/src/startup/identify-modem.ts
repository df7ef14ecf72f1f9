import { readFirmware, readImei, readInformation, readManufacturer, readModel } from '../commands/identity.ts'
import { askIfKnown, type Query } from '../commands/query.ts'
import { Pause } from '../pause.ts'
import { chooseProfile } from '../profiles/fingerprint.ts'
import { generic } from '../profiles/generic.ts'
import type { Profile } from '../profiles/profile.ts'
import type { StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'
import { switchRadioOn } from './switch-radio-on.ts'

export interface ModemIdentity {
  readonly imei: string
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
}

export interface IdentifiedModem {
  readonly identity: ModemIdentity
  readonly profile: Profile
}

/** Who is there, and with which profile it is driven; the vendor's noise is switched off as soon as it is known. */
export async function identifyModem(context: StartupContext): Promise<IdentifiedModem | StartupFailure> {
  const known = <T>(query: Query<T>) => askIfKnown(context.dialogue, query, context.cancellation)
  const send = (text: string) => known<true>({ text, timeoutMs: 5000, read: () => true })
  const calmed = await heedBus(context, send)
  for (const text of formOfAnswers) await send(text)
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
  const profile = chooseProfile(context.options.catalogue, generic, facts)
  if (profile.name !== calmed?.name) await calmDown(context, profile, send)
  const imei = (await readImeiOf(context)) ?? information?.imei
  if (imei === undefined) return startupFailure('not-a-modem')
  await switchRadioOn(context, profile.radio)
  return {
    identity: { imei, manufacturer: facts.manufacturer, model: facts.model, firmware: facts.firmware },
    profile,
  }
}

/**
 * What the bus says about the vendor counts before the modem has said a word: some ports are there before the modem
 * behind them can be used, and some modems have to be calmed down before they can be asked anything.
 */
async function heedBus(context: StartupContext, send: Send): Promise<Profile | undefined> {
  const { usb, catalogue } = context.options
  if (usb === undefined) return undefined
  const facts = { manufacturer: undefined, model: undefined, firmware: undefined, usb }
  const profile = chooseProfile(catalogue, generic, facts)
  if (profile.radio.contactSettleMs > 0) {
    await new Pause(context.clock).wait(profile.radio.contactSettleMs, context.cancellation)
    await context.dialogue.resynchronise()
  }
  await calmDown(context, profile, send)
  return profile
}

async function calmDown(context: StartupContext, profile: Profile, send: Send): Promise<void> {
  context.dialogue.learn(profile.unsolicited)
  for (const text of profile.calming) await send(text)
}

type Send = (text: string) => Promise<unknown>

// No echo, results in words, errors with their numbers.
const formOfAnswers = ['ATE0', 'ATV1', 'AT+CMEE=1']

/** `AT+GSN` and `AT+CGSN=1` where `AT+CGSN` gives a serial number or nothing (NB-IoT, 27.007 §5.4). */
async function readImeiOf(context: StartupContext): Promise<string | undefined> {
  for (const text of ['AT+CGSN', 'AT+GSN', 'AT+CGSN=1']) {
    const imei = await askIfKnown(context.dialogue, { ...readImei, text }, context.cancellation)
    if (imei !== undefined) return imei
  }
  return undefined
}
