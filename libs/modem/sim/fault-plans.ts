import type { FaultSettings } from '@smsgw/virtual-modem/fault-control'
import type { FaultName, FaultOptions } from '@smsgw/virtual-modem/faults'
import type { Chance } from './chance.ts'

/**
 * One to three faults, most of them for a few times only. Left out is what no driver could see through: a refusal that is
 * a lie, and parts of messages that the network loses.
 */
export function planFaults(chance: Chance): FaultSettings {
  const faults: FaultSettings = {}
  for (let count = 1 + chance.below(3); count > 0; count -= 1) Object.assign(faults, chance.oneOf(faultPlans)(chance))
  return faults
}

type FaultPlan = (chance: Chance) => FaultSettings

function plan<N extends FaultName>(
  name: N,
  options: (chance: Chance) => Partial<FaultOptions<N>> = () => ({}),
): FaultPlan {
  return (chance) => ({ [name]: { ...howOften(chance), ...options(chance) } })
}

function howOften(chance: Chance): { chance: number; times: number; skip: number } {
  return {
    chance: chance.oneOf([1, 1, 0.3]),
    times: chance.oneOf([1, 1, 2, 5, 0]),
    skip: chance.oneOf([0, 0, 1, 5, 30]),
  }
}

const anyCommand = (chance: Chance): string =>
  chance.oneOf([
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

const anyLine = (chance: Chance): string =>
  chance.oneOf(['', '', '+CREG: 1', '+CMTI: "SM",2', '^RSSI: 20', 'RING', 'RDY', '+CPIN: READY'])

const faultPlans: readonly FaultPlan[] = [
  plan('prompt-missing'),
  plan('prompt-late', (chance) => ({ delayMs: chance.oneOf([500, 3_000, 9_999, 10_000, 12_000, 30_000]) })),
  plan('prompt-without-space'),
  plan('prompt-with-newline'),
  plan('echo-stuck'),
  plan('urc-before-answer', (chance) => ({ line: anyLine(chance) })),
  plan('urc-inside-list', (chance) => ({ line: anyLine(chance) })),
  plan('urc-before-pdu', (chance) => ({ line: anyLine(chance) })),
  plan('nitz', (chance) => ({ everyMs: chance.oneOf([1_000, 30_000]) })),
  plan('bytes-one-by-one'),
  plan('noise'),
  plan('answer-late', (chance) => ({
    delayMs: chance.oneOf([100, 2_400, 4_999, 5_000, 6_000, 31_000, 130_000]),
    command: anyCommand(chance),
  })),
  plan('answer-lost', (chance) => ({ command: anyCommand(chance) })),
  plan('command-refused', (chance) => ({
    command: chance.oneOf(['+CNMI', '+CPMS', '+CMGD', '+CMGS', '+CMMS', '+CSQ']),
    code: chance.oneOf([-1, 302, 500]),
  })),
  plan('modem-hang', (chance) => ({ command: anyCommand(chance) })),
  plan('numeric-answers'),
  plan('submit-slow', (chance) => ({
    delayMs: chance.oneOf([1_000, 45_000, 119_999, 120_000, 121_000, 150_000, 310_000]),
  })),
  plan('submit-answer-lost', (chance) => ({ all: chance.of(0.5) })),
  plan('submit-error', () => ({ codes: '8,21,27,38,41,42,47,300,304,322,331,512,514', accepted: false })),
  plan('submit-error', (chance) => ({ codes: '332,500,513', accepted: chance.of(0.5) })),
  // A refusal that comes when nobody waits for it any more.
  (chance) => ({
    'submit-error': { codes: '38,42,47', accepted: false, times: 1 },
    'answer-late': { command: '+CMGS', delayMs: chance.oneOf([121_000, 130_000]), times: 1 },
  }),
  plan('submit-port-drop', (chance) => ({ accepted: chance.of(0.5), forMs: chance.oneOf([500, 5_000, 60_000]) })),
  plan('submit-reboot', (chance) => ({ accepted: chance.of(0.5) })),
  plan('report-before-answer', (chance) => ({ withinMs: chance.oneOf([100, 5_000]) })),
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
  plan('sim-busy', (chance) => ({ forMs: chance.oneOf([1_000, 10_000]), code: chance.oneOf([14, 515]) })),
  plan('registration', (chance) => ({ stat: chance.oneOf([0, 2, 3, 6, 11]) })),
  plan('eps-only'),
  plan('signal-unknown'),
  plan('ussd-late', (chance) => ({ delayMs: chance.oneOf([5_000, 60_000, 130_000]) })),
  plan('ussd-lost'),
  plan('ussd-garbled'),
  plan('ussd-as-menu'),
  plan('port-renumbered'),
  plan('port-half-open', (chance) => ({ forMs: chance.oneOf([5_000, 30_000]) })),
]
