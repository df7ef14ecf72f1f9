import type { FuzzRandom } from '../fuzz/random.ts'
import { addressFromText } from '../src/fields/address.ts'
import { encodeDataCodingScheme } from '../src/fields/data-coding-scheme.ts'
import { timeStampFromEpochMs } from '../src/fields/time-stamp.ts'
import type { UserData } from '../src/fields/user-data.ts'
import { concatenationElement, portsElement, userDataHeaderOf } from '../src/fields/user-data-header.ts'
import { septetsFromText } from '../src/text/gsm7-alphabet.ts'
import { ucs2FromText } from '../src/text/ucs2.ts'
import type { Deliver } from '../src/tpdu/deliver.ts'
import type { StatusReport } from '../src/tpdu/status-report.ts'
import type { Submit } from '../src/tpdu/submit.ts'

/** A random message from a network or a phone. */
export function randomMessage(random: FuzzRandom): Deliver | Submit | StatusReport {
  const kind = random.below(5)
  if (kind === 0) return randomStatusReport(random)
  return kind < 3 ? randomSubmit(random) : randomDeliver(random)
}

function randomDeliver(random: FuzzRandom): Deliver {
  const { userData, messageClass } = randomContent(random)
  return {
    kind: 'deliver',
    moreMessagesToSend: random.once(2),
    loopPrevention: false,
    replyPath: random.once(10),
    statusReportIndication: random.once(4),
    originator: addressFromText(randomAddress(random)),
    protocolIdentifier: random.once(5) ? random.below(0x40) : 0,
    dataCodingScheme: encodeDataCodingScheme({ alphabet: userData.alphabet, messageClass }),
    serviceCentreTimeStamp: randomTime(random),
    userData,
  }
}

function randomSubmit(random: FuzzRandom): Submit {
  const { userData, messageClass } = randomContent(random)
  return {
    kind: 'submit',
    rejectDuplicates: random.once(4),
    replyPath: random.once(10),
    statusReportRequest: random.once(2),
    messageReference: random.below(256),
    destination: addressFromText(randomNumber(random)),
    protocolIdentifier: random.once(5) ? random.below(0x40) : 0,
    dataCodingScheme: encodeDataCodingScheme({ alphabet: userData.alphabet, messageClass }),
    validityPeriod: random.oneOf([
      undefined,
      { format: 'relative', value: random.below(256) },
      { format: 'absolute', at: randomTime(random) },
    ]),
    userData,
  }
}

function randomStatusReport(random: FuzzRandom): StatusReport {
  return {
    kind: 'status-report',
    moreMessagesToSend: random.once(2),
    loopPrevention: false,
    statusReportQualifier: false,
    messageReference: random.below(256),
    recipient: addressFromText(randomNumber(random)),
    serviceCentreTimeStamp: randomTime(random),
    dischargeTime: randomTime(random),
    status: random.below(256),
  }
}

function randomContent(random: FuzzRandom): {
  readonly userData: UserData
  readonly messageClass: 0 | 1 | 2 | 3 | undefined
} {
  const header = random.once(3) ? userDataHeaderOf(randomElements(random)) : undefined
  const messageClass = random.once(3) ? random.oneOf([0, 1, 2, 3] as const) : undefined
  const alphabet = random.oneOf(['gsm7', 'gsm7', 'ucs2', 'octets'] as const)
  return { userData: { alphabet, header, units: randomUnits(random, alphabet) }, messageClass }
}

function randomElements(random: FuzzRandom) {
  const total = random.between(1, 9)
  const sequence = random.between(1, total)
  const concatenation = random.once(2)
    ? concatenationElement({ width: 8, reference: random.below(256), total, sequence })
    : concatenationElement({ width: 16, reference: random.below(65_536), total, sequence })
  const ports = portsElement({ width: 16, destination: random.below(65_536), source: random.below(65_536) })
  return random.oneOf([[concatenation], [ports], [ports, concatenation]])
}

function randomUnits(random: FuzzRandom, alphabet: UserData['alphabet']): Uint8Array {
  if (alphabet === 'octets') return random.octets(random.between(1, 120))
  const characters = random.oneOf([letters, letters, accents, withExtension, scripts])
  const isGsm7 = alphabet === 'gsm7' && characters !== scripts
  const text = Array.from({ length: random.between(1, isGsm7 ? 60 : 25) }, () => random.oneOf(characters)).join('')
  if (alphabet === 'ucs2') return ucs2FromText(text)
  return septetsFromText(isGsm7 ? text : 'plain') ?? new Uint8Array(0)
}

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,!?-+/()']
const accents = [...letters, ...'@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà\n']
const withExtension = [...accents, ...'^{}\\[~]|€']
const scripts = [...letters, ...'яжщığ你好世界אבعرب', '😀', '🇩🇪']

function randomAddress(random: FuzzRandom): string {
  return random.once(3)
    ? random.oneOf(['Amazon', 'O2', 'Info SMS', 'Aa', 'Deutsche', 'InternetSMS'])
    : randomNumber(random)
}

function randomNumber(random: FuzzRandom): string {
  const digits = Array.from({ length: random.between(3, 15) }, () => random.below(10)).join('')
  return random.once(3) ? digits : `+${digits}`
}

function randomTime(random: FuzzRandom) {
  // Returns a time from 2000 to 2037, in any real time zone.
  return timeStampFromEpochMs(946_684_800_000 + random.below(1_190_000_000) * 1000, random.between(-48, 56))
}
