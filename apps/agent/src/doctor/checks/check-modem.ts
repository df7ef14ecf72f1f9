import { shortcomingTexts } from '../../modems/modem-descriptions.ts'
import { modemProblem } from '../../modems/modem-health.ts'
import { networkClockText } from '../../modems/network-clock.ts'
import type { ModemExamination } from '../examine-modem.ts'
import { type CodedFinding, failFinding, okFinding, warnFinding } from '../finding.ts'
import { isGpioPort } from './check-serial.ts'

/** Checks a modem and its SIM, from the port to the network. */
export function checkModem(examination: ModemExamination): readonly CodedFinding[] {
  const { simNumber } = examination.status
  const findings = findingsOf(examination)
  return simNumber === undefined ? findings : findings.map((finding) => ({ ...finding, simNumber }))
}

function findingsOf(examination: ModemExamination): readonly CodedFinding[] {
  const { status, blocked } = examination
  const port = status.port ?? ''
  const name = status.simNumber === undefined ? `modem ${status.port ?? ''}` : `SIM ${status.simNumber}`
  const subject = (what: string) => `${name}, ${what}`
  if (blocked !== undefined) {
    const tries = blocked.triesLeft === undefined ? '' : ` (${attemptsLeft(blocked.triesLeft)})`
    return [
      failFinding(subject('modem'), `${blocked.words}${tries}`, blocked.advice, { code: modemProblem(blocked.reason) }),
      ...pinTriesLeft(examination, subject('card')),
    ]
  }
  if (status.model === undefined) {
    const isOnPins = isGpioPort(port)
    return [
      failFinding(
        subject('modem'),
        `${status.words ?? 'does not answer'}`,
        isOnPins
          ? 'switch it on: hold its PWRKEY pin low for a second, using the button or the jumper of the HAT; check its power supply'
          : 'unplug it for ten seconds; check its power supply',
        { code: isOnPins ? 'modem.switched-off' : 'modem.silent', values: { port } },
      ),
    ]
  }
  return [
    okFinding(subject('modem'), [status.model, status.firmware, `at ${status.port}`].filter(Boolean).join(', '), {
      code: 'modem.ok',
      values: { model: status.model, port },
    }),
    ...checkCard(examination, subject('card')),
    checkNetwork(examination, subject('network')),
    ...checkSignal(examination, subject('signal')),
    ...checkClock(examination, subject('network clock')),
    checkServiceCentre(examination, subject('service centre')),
    checkStorage(examination, subject('storage')),
    checkNumber(examination, subject('own number')),
    ...checkBaudRate(examination, subject('baud rate')),
    ...checkShortcomings(examination, subject('modem')),
    ...examination.advice.map((advice) =>
      okFinding(subject('model'), `note: ${advice}`, { code: 'model.note', values: { note: advice } }),
    ),
  ]
}

function pinTriesLeft({ blocked, pinTries }: ModemExamination, subject: string): readonly CodedFinding[] {
  const tries = pinTries?.pin ?? blocked?.triesLeft
  if (tries === undefined) return []
  return [okFinding(subject, attemptsLeft(tries, 'PIN '), { code: 'card.tries', values: { tries } })]
}

function attemptsLeft(tries: number, of = ''): string {
  return `${tries} ${of}${tries === 1 ? 'attempt' : 'attempts'} left`
}

function checkCard({ pinTries, isCardKnown }: ModemExamination, subject: string): readonly CodedFinding[] {
  const attempts = pinTries === undefined ? '' : `, ${attemptsLeft(pinTries.pin, 'PIN ')}`
  if (pinTries !== undefined && pinTries.pin < fullAttempts) {
    return [
      warnFinding(
        subject,
        `a wrong PIN was entered${attempts}`,
        'enter the correct PIN in a phone, which resets the attempts',
        { code: 'card.wrong-pin', values: { tries: pinTries.pin } },
      ),
    ]
  }
  const text = `${isCardKnown ? 'readable' : 'in use, ICCID not readable'}${attempts}`
  return [okFinding(subject, text, { code: isCardKnown ? 'card.ok' : 'card.unread' })]
}

const fullAttempts = 3

function checkNetwork({ status, isReady }: ModemExamination, subject: string): CodedFinding {
  const operator = [status.operator, status.technology].filter(Boolean).join(', ') || '–'
  const text = [status.registration ?? 'unknown', status.operator, status.technology].filter(Boolean).join(', ')
  if (status.registration === 'denied') {
    return failFinding(
      subject,
      'the network refuses this SIM',
      'ask the operator whether the SIM is activated, paid for and allowed to roam',
      { code: 'network.denied' },
    )
  }
  if (!isReady || !/^(home|roaming)/.test(status.registration ?? '')) {
    return failFinding(subject, `not registered (${text})`, 'check antenna and coverage, and try the SIM in a phone', {
      code: 'network.none',
    })
  }
  if (status.state === 'roaming') {
    return warnFinding(
      subject,
      `${text}: nothing is sent while roaming`,
      'set SEND_WHILE_ROAMING=1 if messages may be sent from this network',
      { code: 'network.held', values: { operator } },
    )
  }
  const isHome = status.registration?.startsWith('home')
  return okFinding(subject, text, { code: isHome ? 'network.home' : 'network.roaming', values: { operator } })
}

function checkClock({ status: { networkClockAheadMs } }: ModemExamination, subject: string): readonly CodedFinding[] {
  if (networkClockAheadMs === undefined) return []
  return [
    warnFinding(
      subject,
      networkClockText(networkClockAheadMs),
      'check the time of this machine: `timedatectl`; if this time is correct, the clock of the network is wrong, and you need to do nothing',
      {
        code: networkClockAheadMs < 0 ? 'time.ahead' : 'time.behind',
        values: { minutes: Math.round(Math.abs(networkClockAheadMs) / 60_000) },
      },
    ),
  ]
}

function checkSignal({ status: { signalDbm, bars } }: ModemExamination, subject: string): readonly CodedFinding[] {
  if (signalDbm === undefined) return []
  if ((bars ?? 4) > 1)
    return [okFinding(subject, `${signalDbm} dBm`, { code: 'signal.ok', values: { dbm: signalDbm } })]
  return [
    warnFinding(
      subject,
      `weak, ${signalDbm} dBm`,
      'move the modem, add an antenna, or use a USB extension cable to place the modem away from the board',
      { code: 'signal.weak', values: { dbm: signalDbm } },
    ),
  ]
}

function checkServiceCentre({ serviceCentre, status }: ModemExamination, subject: string): CodedFinding {
  if (serviceCentre === 'there') return okFinding(subject, 'number set', { code: 'centre.ok' })
  // A HiLink stick sends with the number of the service centre on the SIM, and its web interface does not show that
  // number.
  if (status.shortcomings?.includes('web-interface')) {
    return okFinding(subject, 'chosen by the stick', { code: 'centre.stick' })
  }
  if (serviceCentre === 'unknown') {
    return warnFinding(
      subject,
      'number unknown: the modem does not report it',
      'if sending fails, put the SIM in a phone and set the number there; the SIM stores it',
      { code: 'centre.unknown' },
    )
  }
  return failFinding(
    subject,
    'number missing: nothing can be sent',
    'ask the operator for the number of the service centre, then put the SIM in a phone and set the number there',
    {
      code: 'centre.none',
    },
  )
}

function checkStorage({ status, storageFull }: ModemExamination, subject: string): CodedFinding {
  const stores = Object.values(status.storage ?? {})
  const values = { used: total(stores, 'used'), total: total(stores, 'total') }
  const gauges = Object.entries(status.storage ?? {}).map(
    ([memory, { used, total }]) => `${memory} ${used} of ${total}`,
  )
  const text = gauges.join(', ') || 'empty'
  if (!storageFull) return okFinding(subject, text, { code: 'storage.ok', values })
  return failFinding(
    subject,
    `full (${text}): no messages can arrive`,
    'start the agent, which reads and deletes incoming messages; delete all other messages in a phone',
    { code: 'storage.full', values },
  )
}

function total(stores: readonly { readonly used: number; readonly total: number }[], of: 'used' | 'total'): number {
  return stores.reduce((sum, store) => sum + store[of], 0)
}

function checkNumber({ ownNumber, status }: ModemExamination, subject: string): CodedFinding {
  if (ownNumber === 'known') return okFinding(subject, 'known', { code: 'number.known' })
  const name = `SIM_${status.simNumber ?? 1}_NUMBER`
  return warnFinding(
    subject,
    'unknown: not stored on the card',
    `set ${name}=+…, so that webhooks contain the recipient number`,
    { code: 'number.unknown', values: { setting: name } },
  )
}

function checkBaudRate({ status: { port = '' }, detectedBaudRate }: ModemExamination, subject: string) {
  if (detectedBaudRate === undefined) return []
  return [
    warnFinding(
      subject,
      'detected by the modem (AT+IPR=0): after a restart, the modem announces nothing until it gets a command',
      `store the rate in the modem: AT+IPR=${detectedBaudRate}, then AT&W; doctor --fix offers to do this`,
      { code: 'port.autobaud', values: { port, rate: detectedBaudRate } },
    ),
  ]
}

function checkShortcomings({ status }: ModemExamination, subject: string): readonly CodedFinding[] {
  return (status.shortcomings ?? [])
    .filter((each) => !reportedElsewhere.has(each))
    .map((each) =>
      warnFinding(subject, shortcomingTexts[each], 'a limit of this modem; nothing to do', { code: `limit.${each}` }),
    )
}

/** Limitations of modems that another check reports. */
const reportedElsewhere: ReadonlySet<string> = new Set(['no-service-centre'])
