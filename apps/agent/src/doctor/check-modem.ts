import type { ModemExamination } from '../status/examine-modem.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** What a modem and its SIM tell, from the port up to the network. */
export function checkModem(examination: ModemExamination): readonly Finding[] {
  const { status, blocked } = examination
  const name = status.simNumber === undefined ? `modem ${status.port ?? ''}` : `SIM ${status.simNumber}`
  const subject = (what: string) => `${name}, ${what}`
  if (blocked !== undefined) {
    const tries = blocked.triesLeft === undefined ? '' : ` (${blocked.triesLeft} tries left)`
    return [fail(subject('modem'), `${blocked.words}${tries}`, blocked.advice)]
  }
  if (status.model === undefined) {
    return [
      fail(
        subject('modem'),
        `${status.words ?? 'it does not answer'}`,
        'unplug it for ten seconds; check its power supply',
      ),
    ]
  }
  return [
    ok(subject('modem'), [status.model, status.firmware, `at ${status.port}`].filter(Boolean).join(', ')),
    ...checkCard(examination, subject('card')),
    checkNetwork(examination, subject('network')),
    ...checkSignal(examination, subject('signal')),
    checkServiceCentre(examination, subject('service centre')),
    checkStorage(examination, subject('storage')),
    checkNumber(examination, subject('own number')),
    ...checkShortcomings(examination, subject('modem')),
    ...examination.advice.map((words) => ok(subject('model'), `good to know: ${words}`)),
  ]
}

function checkCard({ pinTries, isCardKnown }: ModemExamination, subject: string): readonly Finding[] {
  const tries = pinTries === undefined ? '' : `, ${pinTries.pin} tries of its PIN left`
  if (pinTries !== undefined && pinTries.pin < fullTries) {
    return [
      warn(subject, `a wrong PIN was entered${tries}`, 'enter the right one in a phone, which gives it its tries back'),
    ]
  }
  return [ok(subject, `${isCardKnown ? 'can be read' : 'is in use, without telling its number'}${tries}`)]
}

const fullTries = 3

function checkNetwork({ status, isReady }: ModemExamination, subject: string): Finding {
  const words = [status.registration ?? 'not known', status.operator, status.technology].filter(Boolean).join(', ')
  if (status.registration === 'denied') {
    return fail(
      subject,
      'the network refuses this SIM',
      'ask its provider: is it activated, paid, and allowed to roam?',
    )
  }
  if (!isReady || !/^(home|roaming)/.test(status.registration ?? '')) {
    return fail(subject, `not registered (${words})`, 'check antenna and coverage, and try the SIM in a phone')
  }
  return ok(subject, words)
}

function checkSignal({ status: { signalDbm, bars } }: ModemExamination, subject: string): readonly Finding[] {
  if (signalDbm === undefined) return []
  if ((bars ?? 4) > 1) return [ok(subject, `${signalDbm} dBm`)]
  return [warn(subject, `weak, ${signalDbm} dBm`, 'another place, an antenna, or a USB extension away from the board')]
}

function checkServiceCentre({ serviceCentre }: ModemExamination, subject: string): Finding {
  if (serviceCentre === 'there') return ok(subject, 'its number is there')
  if (serviceCentre === 'unknown') {
    return warn(
      subject,
      'the modem does not tell its number',
      'if sending fails, set it in a phone: it is kept on the SIM',
    )
  }
  return fail(subject, 'its number is missing: nothing can be sent', 'ask the provider for it, and set it in a phone')
}

function checkStorage({ status, storageFull }: ModemExamination, subject: string): Finding {
  const gauges = Object.entries(status.storage ?? {}).map(
    ([memory, { used, total }]) => `${memory} ${used} of ${total}`,
  )
  const words = gauges.join(', ') || 'nothing lies in it'
  if (!storageFull) return ok(subject, words)
  return fail(
    subject,
    `full (${words}): nothing can arrive`,
    'start the agent, which empties it; foreign ones delete in a phone',
  )
}

function checkNumber({ ownNumber, status }: ModemExamination, subject: string): Finding {
  if (ownNumber === 'known') return ok(subject, 'known')
  const name = `SIM_${status.simNumber ?? 1}_NUMBER`
  return warn(subject, 'the card does not tell it', `set ${name}=+…, so that receivers see where a message arrived`)
}

function checkShortcomings({ status }: ModemExamination, subject: string): readonly Finding[] {
  const words = (status.shortcomings ?? []).flatMap((each) => shortcomingWords[each] ?? [])
  return words.map((each) => warn(subject, each, 'nothing to mend: this model cannot do better'))
}

/** What is said by another line is not said again. */
const shortcomingWords: Readonly<Record<string, string>> = {
  'no-indications': 'it does not tell of messages that arrive: they are looked for now and then',
  'no-delivery-reports': 'it gives no delivery reports: messages stay Sent',
  'no-readable-memory': 'it can send, and shows nothing that arrives',
}
