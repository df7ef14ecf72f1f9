import type { RandomChoices } from '@smsgw/simulation/random-choices'
import type { FaultName, FaultOptions } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'

/**
 * Chooses one to three faults, most of which occur only a limited number of times. Faults that no driver could detect
 * are left out: a false refusal, and message parts lost by the network.
 */
export function planFaults(random: RandomChoices): FaultSettings {
  const faults: FaultSettings = {}
  for (let count = 1 + random.below(3); count > 0; count -= 1) Object.assign(faults, random.oneOf(faultPlans)(random))
  return faults
}

/**
 * Returns faults that lose or delay the answer to a submission, or make the modem hang for a while. `before`: the
 * number of submissions that are answered before the fault.
 */
export function planAnswersLost(random: RandomChoices, before = 0): FaultSettings {
  const often = { skip: before + random.oneOf([0, 0, 1, 2]), times: random.oneOf([1, 1, 2, 0]) }
  const what = random.oneOf<FaultSettings>([
    { 'submit-answer-lost': { ...often, all: random.happens(0.9) } },
    { 'submit-hang': { ...often, forMs: random.oneOf([1_000, 6_000, 20_000, 27_000]), answered: random.happens(0.3) } },
    { 'submit-slow': { ...often, delayMs: random.oneOf([2_400, 3_000, 12_000, 21_000, 45_000, 119_000]) } },
    { 'report-before-answer': { ...often, withinMs: random.oneOf([100, 600, 5_000]) } },
    {
      'submit-error': { ...often, codes: '38,42,300,302,331,500,513,515', accepted: false },
      'answer-late': { command: '+CMGS', delayMs: random.oneOf([3_000, 21_000, 60_000]) },
    },
  ])
  const busy = { refused: random.happens(0.5), code: random.oneOf([515, 302, 314, 500, -1]) }
  const beside = random.weighted({ waits: 50, busy: 35, answers: 15, aborts: 15 })
  return {
    ...what,
    ...(beside === 'busy' && { 'busy-while-sending': busy }),
    ...(beside === 'answers' && { 'answers-while-sending': {} }),
    // A modem that hangs after it has aborted a message cannot answer, although it is not sending any more.
    ...(beside === 'aborts' &&
      !what['submit-hang'] && { 'abort-while-sending': { code: random.oneOf([-1, 0, 515, 500]) } }),
  }
}

type FaultPlan = (random: RandomChoices) => FaultSettings

function plan<N extends FaultName>(
  name: N,
  options: (random: RandomChoices) => Partial<FaultOptions<N>> = () => ({}),
): FaultPlan {
  return (random) => ({ [name]: { ...howOften(random), ...options(random) } })
}

function howOften(random: RandomChoices): { chance: number; times: number; skip: number } {
  return {
    chance: random.oneOf([1, 1, 0.3]),
    times: random.oneOf([1, 1, 2, 5, 0]),
    skip: random.oneOf([0, 0, 1, 5, 30]),
  }
}

const anyCommand = (random: RandomChoices): string =>
  random.oneOf([
    ...[
      '',
      '',
      '+CMGS',
      '+CMGS',
      '+CMGL',
      '+CMGR',
      '+CMGD',
      '+CPMS',
      '+CNMI',
      '+CMEE',
      '+CREG',
      '+CSQ',
      '+CPIN',
      '+CMMS',
    ],
  ])

const anyLine = (random: RandomChoices): string =>
  random.oneOf(['', '', '+CREG: 1', '+CMTI: "SM",2', '^RSSI: 20', 'RING', 'RDY', '+CPIN: READY'])

const faultPlans: readonly FaultPlan[] = [
  plan('prompt-missing'),
  plan('prompt-late', (random) => ({ delayMs: random.oneOf([500, 3_000, 9_999, 10_000, 12_000, 30_000]) })),
  plan('prompt-without-space'),
  plan('prompt-with-newline'),
  plan('echo-stuck'),
  plan('urc-before-answer', (random) => ({ line: anyLine(random) })),
  plan('urc-inside-list', (random) => ({ line: anyLine(random) })),
  plan('urc-before-pdu', (random) => ({ line: anyLine(random) })),
  plan('nitz', (random) => ({ everyMs: random.oneOf([1_000, 30_000]) })),
  plan('bytes-one-by-one'),
  plan('noise'),
  plan('answer-late', (random) => ({
    delayMs: random.oneOf([100, 2_400, 4_999, 5_000, 6_000, 31_000, 130_000]),
    command: anyCommand(random),
  })),
  plan('answer-lost', (random) => ({ command: anyCommand(random) })),
  plan('command-refused', (random) => ({
    command: random.oneOf(['+CNMI', '+CPMS', '+CMGD', '+CMGS', '+CMMS', '+CSQ']),
    code: random.oneOf([-1, 302, 500]),
  })),
  plan('modem-hang', (random) => ({ command: anyCommand(random) })),
  plan('numeric-answers'),
  plan('data-mode'),
  plan('submit-slow', (random) => ({
    delayMs: random.oneOf([1_000, 45_000, 119_999, 120_000, 121_000, 150_000, 310_000]),
  })),
  plan('submit-answer-lost', (random) => ({ all: random.happens(0.5) })),
  plan('submit-hang', (random) => ({ forMs: random.oneOf([1_000, 20_000, 130_000]), answered: random.happens(0.5) })),
  plan('answers-while-sending'),
  plan('abort-while-sending', (random) => ({ code: random.oneOf([-1, 0, 515]) })),
  plan('busy-while-sending', (random) => ({ refused: random.happens(0.5), code: random.oneOf([515, 302, -1]) })),
  plan('submit-error', () => ({ codes: '8,21,27,38,41,42,47,300,304,322,331,512,514', accepted: false })),
  plan('submit-error', (random) => ({ codes: '332,500,513', accepted: random.happens(0.5) })),
  // The modem refuses after the timeout.
  (random) => ({
    'submit-error': { codes: '38,42,47', accepted: false, times: 1 },
    'answer-late': { command: '+CMGS', delayMs: random.oneOf([121_000, 130_000]), times: 1 },
  }),
  plan('submit-port-drop', (random) => ({ accepted: random.happens(0.5), forMs: random.oneOf([500, 5_000, 60_000]) })),
  plan('submit-reboot', (random) => ({ accepted: random.happens(0.5) })),
  plan('report-before-answer', (random) => ({ withinMs: random.oneOf([100, 5_000]) })),
  plan('storage-full'),
  plan('cmti-other-memory'),
  plan('cdsi-wrong-memory'),
  plan('cds-extra-comma'),
  plan('cpms-lag'),
  plan('delete-refused'),
  plan('cmti-twice'),
  plan('urc-lost'),
  plan('list-hang'),
  plan('list-newline-missing'),
  plan('redelivered'),
  plan('report-lost'),
  plan('sim-toolkit', (random) => ({
    type: random.oneOf([33, 34, 35, 36]),
    whileSending: random.happens(0.5),
    forMs: 120_000,
  })),
  plan('sim-busy', (random) => ({ forMs: random.oneOf([1_000, 10_000]), code: random.oneOf([14, 515]) })),
  plan('registration', (random) => ({ stat: random.oneOf([0, 2, 3, 6, 11]) })),
  plan('eps-only'),
  plan('signal-unknown'),
  plan('ussd-late', (random) => ({ delayMs: random.oneOf([5_000, 60_000, 130_000]) })),
  plan('ussd-lost'),
  plan('ussd-garbled'),
  plan('ussd-as-menu'),
  plan('port-renumbered'),
  plan('port-half-open', (random) => ({ forMs: random.oneOf([5_000, 30_000]) })),
]
