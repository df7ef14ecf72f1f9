import { agentFailureCodes, relayFailureCodes } from '@smsgw/contract/messages/failure-code'
import { networkCauses } from '@smsgw/contract/messages/network-cause'
import { adviceCodes } from '@smsgw/contract/messages/timeline'
import { waitingReasons } from '@smsgw/contract/messages/waiting'
import { afterEach, describe, expect, test } from 'vitest'
import { chooseLocale } from '../words/language.ts'
import { loadLocale, optionalText } from '../words/text.ts'
import {
  adviceWords,
  failureWords,
  inLocalTime,
  isAhead,
  shownCode,
  sinceWords,
  stepWords,
  toneOf,
  waitingTone,
} from './timeline-words.ts'

const at = '2026-03-01T08:46:11.000Z'

test('a step shows the time since the previous step, unless it is the first step or has the same time', () => {
  expect(sinceWords(undefined, at)).toBe('')
  expect(sinceWords(at, at)).toBe('')
  expect(sinceWords(at, '2026-03-01T08:46:11.250Z')).toBe('+250 ms')
  expect(sinceWords(at, '2026-03-01T08:46:15.200Z')).toBe('+4.2 sec')
  expect(sinceWords(at, '2026-03-01T09:51:11.000Z')).toBe('+1 hr 5 min')
})

test('failures and failed webhook attempts are highlighted', () => {
  const webhook = { webhookId: 'w', deliveryId: 'd', event: 'sms:sent' as const }
  expect(toneOf({ at, kind: 'part-refused', text: '' })).toBe('bad')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, httpStatus: 204 } })).toBe('aside')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, httpStatus: 500 } })).toBe('warn')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, error: 'no answer' } })).toBe('warn')
})

test('an ordinary step does not stand out', () => {
  expect(toneOf({ at, kind: 'dispatched', text: '' })).toBe('plain')
})

test('the timeline shows only the reason of a wait as a future step', () => {
  expect(isAhead({ kind: 'waiting' })).toBe(true)
  expect(isAhead({ kind: 'in-doubt' })).toBe(true)
  expect(isAhead({ kind: 'scheduled' })).toBe(false)
  expect(isAhead({ kind: 'part-submitted' })).toBe(false)
})

test('a wait is highlighted only if somebody should do something', () => {
  const normal = [
    'scheduled',
    'queued',
    'pause',
    'limit',
    'work_hours',
    'retry',
    'modem_busy',
    'outcome_unknown',
  ] as const
  const urgent = ['approval', 'device_offline', 'no_network', 'roaming', 'modem_missing', 'sim_locked'] as const
  expect(normal.map(waitingTone)).toEqual(normal.map(() => 'plain'))
  expect(urgent.map(waitingTone)).toEqual(urgent.map(() => 'warn'))
  expect(toneOf({ at, kind: 'waiting', code: 'queued', text: '' })).toBe('plain')
  expect(toneOf({ at, kind: 'waiting', code: 'sim_locked', text: '' })).toBe('warn')
})

test('UTC times in a text become local times, and the other parts of the text are unchanged', () => {
  const wall = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
  expect(inLocalTime(`held back until ${at}`)).toBe(`held back until ${wall}`)
  expect(inLocalTime('the device 2026-99-99T99:99:99Z')).toBe('the device 2026-99-99T99:99:99Z')
  expect(inLocalTime('part 1 of 2, code 2026-03')).toBe('part 1 of 2, code 2026-03')
})

test('a local time in Arabic stays in one piece within an English text', async () => {
  await loadLocale(chooseLocale('ar', ['ar']))
  const text = inLocalTime('scheduled for 2037-01-01T12:00:00Z')
  await loadLocale(chooseLocale('en', ['en']))
  expect(text).toMatch(/^scheduled for \u2068[^\u2068\u2069]*2037[^\u2068\u2069]*\u2069$/)
})

test('a delivery report has plain words instead of the words of the standard', () => {
  const report = {
    at,
    kind: 'part-report' as const,
    text: 'Delivery report for part 1 of 2: Short message received by the SME',
  }
  expect(stepWords({ ...report, cause: 'report_received' }).text).toBe(
    'Delivery report for part 1 of 2: received by the recipient’s phone',
  )
  const whole = { ...report, text: 'Delivery report for the message: Short message received by the SME' }
  expect(stepWords({ ...whole, cause: 'report_received' }).text).toBe(
    'Delivery report: received by the recipient’s phone',
  )
  expect(stepWords(report).text).toBe(report.text)
})

describe('in German', () => {
  afterEach(() => loadLocale(chooseLocale('en', ['en'])))
  const inGerman = async <Words>(words: () => Words) => {
    await loadLocale(chooseLocale('de', ['de']))
    return words()
  }

  test('a step is described by its code', async () => {
    const steps = await inGerman(() => [
      stepWords({ at, kind: 'dispatched', text: 'sent to the device attic' }),
      stepWords({ at, kind: 'scheduled', text: `scheduled for ${at}` }),
      stepWords({ at, kind: 'waiting', code: 'device_offline', text: 'Offline: …' }),
      stepWords({ at, kind: 'in-doubt', code: 'outcome_unknown', text: 'Outcome unknown: …' }),
    ])
    expect(steps.map(({ text }) => text)).toEqual([
      'An das Gerät gesendet',
      expect.stringContaining('1. März 2026'),
      'Das Gerät ist offline.',
      expect.stringMatching(/^Ergebnis unbekannt/),
    ])
    expect(steps.every(({ original }) => original === undefined)).toBe(true)
  })

  test('a step keeps the English text if its code contains less information or is unknown', async () => {
    const refused = { at, kind: 'part-refused', code: 'CMS 777', text: 'The modem gave an undocumented code.' } as const
    expect(await inGerman(() => stepWords(refused))).toEqual({
      text: 'Vom Netz abgelehnt',
      original: 'The modem gave an undocumented code.',
    })
    const newer = { at, kind: 'waiting', code: 'full_moon', text: `Waits until ${at}.` } as const
    expect((await inGerman(() => stepWords(newer))).original).toMatch(/^Waits until 1\. März 2026/)
  })

  test('the cause of a number from the network is translated, in steps and beside failures', async () => {
    const cause = 'number_not_assigned' as const
    const refused = { at, kind: 'part-refused', code: 'CMS 1', cause, text: 'The number does not exist.' } as const
    expect(await inGerman(() => stepWords(refused))).toEqual({
      text: 'Vom Netz abgelehnt: Die Nummer existiert nicht.',
    })
    const error = 'The number does not exist. Check it. (CMS 1)'
    const failure = { error, networkCode: 'CMS 1', cause }
    const words = await inGerman(() =>
      ['refused', 'gave_up'].map((errorCode) => failureWords({ ...failure, errorCode })),
    )
    expect(words).toEqual([
      {
        text: 'Die Nummer existiert nicht.',
        advice: 'Prüfen Sie die Nummer und ihre Landesvorwahl, bevor Sie erneut senden.',
        code: 'CMS 1',
      },
      {
        text: expect.stringMatching(/Zeitlimit.* Die Nummer existiert nicht\.$/),
        advice: expect.stringMatching(/^Beheben/),
        code: 'CMS 1',
      },
    ])
  })

  test('a refusal without a known cause shows the text of the modem, with its code', async () => {
    const failure = { error: 'Undocumented. (CMS 777)', errorCode: 'refused', networkCode: 'CMS 777' }
    expect(await inGerman(() => failureWords(failure))).toEqual({
      text: expect.stringMatching(/abgelehnt\.$/),
      original: 'Undocumented. (CMS\u00a0777)',
      advice: undefined,
      code: undefined,
    })
    expect(await inGerman(() => failureWords({ ...failure, error: 'refused' }))).toEqual({
      text: expect.stringMatching(/abgelehnt\.$/),
      advice: undefined,
      code: 'CMS 777',
    })
  })

  test('a failure keeps the details of the English text, which its step does not repeat', async () => {
    const text = 'the message cannot be encoded as SMS: 256 parts'
    const failures = [text, `partial 1/3: ${text}`].map((error) => ({ error, errorCode: 'unwritable' }))
    const words = await inGerman(() => failures.map(failureWords))
    expect(words.map((one) => one?.original)).toEqual(failures.map(() => `T${text.slice(1)}`))
    const failed = { at, kind: 'failed', code: 'unwritable', text, advice: 'Shorten it.' } as const
    expect(await inGerman(() => stepWords(failed, failures[0]))).toEqual({ text: 'Fehlgeschlagen' })
  })

  test('a message that is tried again shows its cause', async () => {
    const step = { at, kind: 'waiting', code: 'retry', cause: 'network_congested', text: 'Refused for now.' } as const
    expect((await inGerman(() => stepWords(step))).text).toMatch(/Das Netz ist überlastet\.$/)
  })

  test('a failure and its advice are translated by their codes', async () => {
    const failure = { error: 'TTL expired', errorCode: 'ttl_expired' }
    expect((await inGerman(() => failureWords(failure)))?.text).toBe('Nicht vor Ablauf der Frist gesendet.')
    const entry = { at, kind: 'failed', text: '', advice: 'Check.', adviceCode: 'too_large' } as const
    expect(await inGerman(() => adviceWords(entry))).toMatchObject({
      text: expect.stringContaining('Nachrichten'),
      isEnglish: false,
    })
    expect(await inGerman(() => adviceWords({ at, kind: 'part-refused', text: '', advice: 'Check it.' }))).toEqual({
      text: 'Check it.',
      isEnglish: true,
      tone: 'warn',
    })
  })
})

test('advice is highlighted only if somebody should do something', () => {
  const toneOfAdvice = (adviceCode: 'retried' | 'check_number') =>
    adviceWords({ at, kind: 'part-refused', text: '', advice: '…', adviceCode })?.tone
  expect([toneOfAdvice('retried'), toneOfAdvice('check_number')]).toEqual(['plain', 'warn'])
})

test('English shows the texts of the API that contain details, and the words of the catalogue otherwise', () => {
  const text = 'queued on the device attic'
  expect(stepWords({ at, kind: 'processed', text })).toEqual({ text })
  const textOf = (error: string, errorCode: string) => failureWords({ error, errorCode })?.text
  expect(textOf('the text has 300 parts', 'unwritable')).toBe('The text has 300 parts.')
  expect(textOf('unwritable', 'unwritable')).toBe('The content can’t be sent as an SMS.')
  expect(textOf('submit_unknown: the message was passed to the modem', 'submit_unknown')).toMatch(/^Outcome unknown/)
  expect(textOf('a newer failure', 'full_moon')).toBe('A newer failure')
  expect(failureWords({})).toBeUndefined()
})

test('a failure has a sentence, advice and the code of the network, each once', () => {
  const report = { error: 'could not deliver: Not obtainable (TP-ST 43).', errorCode: 'report_failed' }
  expect(failureWords({ ...report, networkCode: 'TP-ST 0x43', cause: 'report_not_obtainable' })).toEqual({
    text: 'The recipient couldn’t be reached.',
    advice: 'Check the number. Sending the message again won’t help.',
    code: 'TP-ST 0x43',
  })
  expect(failureWords({ ...report, networkCode: 'TP-ST 0x46', cause: 'report_expired' })).toEqual({
    text: 'The message expired before it could be delivered.',
    advice: 'Send the message again later.',
    code: 'TP-ST 0x46',
  })
  expect(failureWords({ ...report, networkCode: 'TP-ST 0x7f' })).toMatchObject({
    text: 'The network couldn’t deliver the message.',
    code: 'TP-ST 0x7f',
  })
})

test.each([
  ['unwritable', 'Correct the message and send it again.'],
  ['undecryptable', expect.stringContaining('ENCRYPTION_PASSPHRASE')],
  ['unsupported', 'Update the agent.'],
  ['no_such_sim', 'Choose a SIM of this device, or none.'],
  ['phone_failed', expect.stringMatching(/^Fix the problem that the phone reported/)],
  ['gave_up', 'Fix the problem, then send the message again.'],
])('in English, the failure %s has its details and advice', (errorCode, advice) => {
  expect(failureWords({ error: 'details of the agent', errorCode })).toEqual({
    text: 'Details of the agent.',
    advice,
    code: undefined,
  })
})

test('a refusal without a known cause shows the text of the modem', () => {
  const error = 'The modem gave an undocumented error code. (CMS 777)'
  expect(failureWords({ error, errorCode: 'refused', networkCode: 'CMS 777' })).toEqual({
    text: 'The modem gave an undocumented error code. (CMS\u00a0777)',
    advice: undefined,
    code: undefined,
  })
})

test('advice that an older agent put into its text is given once', () => {
  const error = 'this version of the agent does not support the command (update the agent): textMessage: unknown'
  expect(failureWords({ error, errorCode: 'unsupported' })).toEqual({
    text: 'This version of the agent does not support the command: textMessage: unknown.',
    advice: 'Update the agent.',
    code: undefined,
  })
})

test('advice follows a whole sentence', () => {
  const textOf = (error: string) => failureWords({ error, errorCode: 'gave_up' })?.text
  expect(textOf('it waited (for a SIM)')).toBe('It waited (for a SIM).')
  expect(textOf('it waited: The network is away. (CMS 777)')).toBe('It waited: The network is away. (CMS\u00a0777)')
  expect(textOf('it waited for a SIM!')).toBe('It waited for a SIM!')
})

test('a message that was sent in part says how much of it was sent', () => {
  const failure = { error: 'partial 1/2: There is no SIM. (CME 10)', errorCode: 'refused', networkCode: 'CME 10' }
  expect(failureWords({ ...failure, cause: 'sim_missing' })?.text).toBe('Sent 1 of 2 parts. There is no SIM.')
  const textOf = (error: string) => failureWords({ error, errorCode: 'gave_up' })?.text
  expect(textOf('partial 1/3: not sent in time')).toBe('Sent 1 of 3 parts. Not sent in time.')
  expect(textOf('partial 1/3: gave_up')).toBe('Sent 1 of 3 parts. The device retried until its time limit.')
  expect(stepWords({ at, kind: 'failed', code: 'gave_up', text: 'partial 1/3: not sent in time' }).text).toBe(
    'Sent 1 of 3 parts. Not sent in time',
  )
})

test('a wait says what happens at its end', () => {
  const textOf = (code: string) =>
    stepWords({ at, kind: 'waiting', code, until: '2026-03-02T09:00:00.000Z', text: '' }).text
  expect(textOf('outcome_unknown')).toMatch(/ Final status by .+\.$/)
  expect(textOf('earlier_outcome_unknown')).toMatch(/ Sending resumes .+ at the latest\.$/)
  expect(textOf('retry')).toMatch(/ Next attempt: .+\.$/)
})

test('a code in a text is not broken at the end of a line', () => {
  const textOf = (error: string) => failureWords({ error, errorCode: 'gave_up' })?.text
  expect(textOf('it waited: Refused. (CMS 777)')).toBe('It waited: Refused. (CMS\u00a0777)')
  expect(stepWords({ at, kind: 'part-report', code: 'TP-ST 0x7f', text: 'reserved (TP-ST 0x7f)' }).text).toBe(
    'reserved (TP\u2011ST\u00a00x7f)',
  )
})

test('the timeline only names the steps of a failure that the page describes elsewhere', () => {
  const failure = { error: 'busy', errorCode: 'refused', networkCode: 'CMS 42', cause: 'network_congested' } as const
  const advice = { advice: 'Try later.', adviceCode: 'retried' } as const
  const { text } = adviceWords({ at, kind: 'part-refused', text: '', ...advice }) ?? {}
  const failed = { at, kind: 'failed', code: 'refused', text: 'busy', ...advice } as const
  const refused = { at, kind: 'part-refused', code: 'CMS 42', text: 'The network is congested.', ...advice } as const
  const earlier = { ...refused, code: 'CMS 41', text: 'A temporary failure.' }
  expect([failed, refused, earlier].map((entry) => stepWords(entry, failure).text)).toEqual([
    'Failed',
    'Refused by the network',
    'A temporary failure.',
  ])
  expect([failed, refused, earlier].map((entry) => adviceWords(entry, failure)?.text)).toEqual([
    undefined,
    undefined,
    text,
  ])
  expect(stepWords(failed).text).toBe('busy')
})

test.each([...agentFailureCodes, ...relayFailureCodes])('the failure %s has a text', (code) => {
  expect(optionalText(`failure.${code}`)).toBeDefined()
})

test.each(networkCauses)('the cause %s has a text', (cause) => {
  expect(optionalText(`cause.${cause}`)).toBeDefined()
})

test.each(adviceCodes)('the advice %s has a text', (code) => {
  expect(optionalText(`advice.${code}`)).toBeDefined()
})

test('a step shows codes of the network, but no code of the API, which has words', () => {
  expect(shownCode({ code: 'CMS 21' })).toBe('CMS 21')
  const codes = [...agentFailureCodes, ...relayFailureCodes, ...waitingReasons]
  expect(codes.filter((code) => shownCode({ code }) !== undefined)).toEqual([])
})
