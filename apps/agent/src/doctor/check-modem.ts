import { shortcomingTexts } from '../modems/modem-descriptions.ts'
import { networkClockText } from '../modems/network-clock.ts'
import { isGpioPort } from './check-serial.ts'
import type { ModemExamination } from './examine-modem.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks a modem and its SIM, from the port to the network. */
export function checkModem(examination: ModemExamination): readonly Finding[] {
  const { status, blocked } = examination
  const name = status.simNumber === undefined ? `modem ${status.port ?? ''}` : `SIM ${status.simNumber}`
  const subject = (what: string) => `${name}, ${what}`
  if (blocked !== undefined) {
    const tries = blocked.triesLeft === undefined ? '' : ` (${blocked.triesLeft} attempts left)`
    return [fail(subject('modem'), `${blocked.words}${tries}`, blocked.advice)]
  }
  if (status.model === undefined) {
    return [
      fail(
        subject('modem'),
        `${status.words ?? 'does not answer'}`,
        isGpioPort(status.port ?? '')
          ? 'switch it on: hold its PWRKEY pin low for a second, with the button or the jumper of the HAT; check its power supply'
          : 'unplug it for ten seconds; check its power supply',
      ),
    ]
  }
  return [
    ok(subject('modem'), [status.model, status.firmware, `at ${status.port}`].filter(Boolean).join(', ')),
    ...checkCard(examination, subject('card')),
    checkNetwork(examination, subject('network')),
    ...checkSignal(examination, subject('signal')),
    ...checkClock(examination, subject('network clock')),
    checkServiceCentre(examination, subject('service centre')),
    checkStorage(examination, subject('storage')),
    checkNumber(examination, subject('own number')),
    ...checkShortcomings(examination, subject('modem')),
    ...examination.advice.map((advice) => ok(subject('model'), `note: ${advice}`)),
  ]
}

function checkCard({ pinTries, isCardKnown }: ModemExamination, subject: string): readonly Finding[] {
  const attempts = pinTries === undefined ? '' : `, ${pinTries.pin} PIN attempts left`
  if (pinTries !== undefined && pinTries.pin < fullAttempts) {
    return [
      warn(
        subject,
        `a wrong PIN was entered${attempts}`,
        'enter the correct PIN in a phone, which resets the attempts',
      ),
    ]
  }
  return [ok(subject, `${isCardKnown ? 'readable' : 'in use, ICCID not readable'}${attempts}`)]
}

const fullAttempts = 3

function checkNetwork({ status, isReady }: ModemExamination, subject: string): Finding {
  const text = [status.registration ?? 'unknown', status.operator, status.technology].filter(Boolean).join(', ')
  if (status.registration === 'denied') {
    return fail(
      subject,
      'the network refuses this SIM',
      'ask the provider whether the SIM is activated, paid for and allowed to roam',
    )
  }
  if (!isReady || !/^(home|roaming)/.test(status.registration ?? '')) {
    return fail(subject, `not registered (${text})`, 'check antenna and coverage, and try the SIM in a phone')
  }
  if (status.state === 'roaming') {
    return warn(
      subject,
      `${text}: nothing is sent while roaming`,
      'set SEND_WHILE_ROAMING=1 if messages may be sent from this network',
    )
  }
  return ok(subject, text)
}

function checkClock({ status: { networkClockAheadMs } }: ModemExamination, subject: string): readonly Finding[] {
  if (networkClockAheadMs === undefined) return []
  return [
    warn(
      subject,
      networkClockText(networkClockAheadMs),
      'check the time of this machine: `timedatectl`; if it is correct, the network is wrong, and nothing needs to be done',
    ),
  ]
}

function checkSignal({ status: { signalDbm, bars } }: ModemExamination, subject: string): readonly Finding[] {
  if (signalDbm === undefined) return []
  if ((bars ?? 4) > 1) return [ok(subject, `${signalDbm} dBm`)]
  return [
    warn(
      subject,
      `weak, ${signalDbm} dBm`,
      'move the modem, add an antenna, or use a USB extension cable away from the board',
    ),
  ]
}

function checkServiceCentre({ serviceCentre, status }: ModemExamination, subject: string): Finding {
  if (serviceCentre === 'there') return ok(subject, 'number set')
  // A HiLink stick sends with the number on the SIM, and its interface does not show the number.
  if (status.shortcomings?.includes('web-interface')) return ok(subject, 'chosen by the stick')
  if (serviceCentre === 'unknown') {
    return warn(
      subject,
      'number unknown: the modem does not report it',
      'if sending fails, set it in a phone; the SIM stores it',
    )
  }
  return fail(subject, 'number missing: nothing can be sent', 'ask the provider for the number, and set it in a phone')
}

function checkStorage({ status, storageFull }: ModemExamination, subject: string): Finding {
  const gauges = Object.entries(status.storage ?? {}).map(
    ([memory, { used, total }]) => `${memory} ${used} of ${total}`,
  )
  const text = gauges.join(', ') || 'empty'
  if (!storageFull) return ok(subject, text)
  return fail(
    subject,
    `full (${text}): no messages can arrive`,
    'start the agent, which reads and deletes incoming messages; delete others in a phone',
  )
}

function checkNumber({ ownNumber, status }: ModemExamination, subject: string): Finding {
  if (ownNumber === 'known') return ok(subject, 'known')
  const name = `SIM_${status.simNumber ?? 1}_NUMBER`
  return warn(
    subject,
    'unknown: not stored on the card',
    `set ${name}=+…, so that webhooks contain the recipient number`,
  )
}

function checkShortcomings({ status }: ModemExamination, subject: string): readonly Finding[] {
  return (status.shortcomings ?? [])
    .filter((each) => !reportedElsewhere.has(each))
    .map((each) => warn(subject, shortcomingTexts[each], 'a limit of this modem; nothing to do'))
}

/** Limitations of modems that another check reports. */
const reportedElsewhere: ReadonlySet<string> = new Set(['no-service-centre'])
