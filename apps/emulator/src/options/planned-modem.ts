import { StartError } from '@smsgw/daemon/start-error'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { present } from '../present.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Options } from './config.ts'
import { type ModemSetup, PTY_FOLDER, type SimSetup } from './modem-setup.ts'
import type { TcpAddress } from './tcp-address.ts'

/** A complete modem description, from options, scenario and defaults. */
export interface PlannedModem {
  readonly name: string
  readonly personality: string
  readonly imei: string
  readonly sim: (SimSetup & { readonly number: string }) | undefined
  readonly tcp: TcpAddress | undefined
  readonly pty: string | undefined
  /** The second port of the modem, if it has one. */
  readonly second: { readonly tcp: TcpAddress | undefined; readonly pty: string | undefined } | undefined
  readonly faults: FaultSettings
}

export function planModems(options: Options, scenario: Scenario | undefined): PlannedModem[] {
  const planned = setups(options, scenario).map((setup, index) => plan(setup, index, options.fault))
  for (const key of ['name', 'imei'] as const)
    refuseTwice(
      key,
      planned.map((modem) => modem[key]),
    )
  for (const key of ['number', 'imsi', 'iccid'] as const)
    refuseTwice(
      key,
      planned.map(({ sim }) => sim?.[key]),
    )
  const ports = planned.flatMap(({ tcp, pty, second }) => [{ tcp, pty }, ...(second ? [second] : [])])
  refuseTwice(
    'pty',
    ports.map(({ pty }) => pty),
  )
  refuseTwice(
    'tcp',
    ports.map(({ tcp }) => (tcp === undefined || tcp.port === 0 ? undefined : `${tcp.host}:${tcp.port}`)),
  )
  return planned
}

function setups(options: Options, scenario: Scenario | undefined): readonly ModemSetup[] {
  if (scenario !== undefined) return scenario.modems
  if (options.modem.length > 0) return options.modem
  const { personality = 'quectel-ec25', number, pty, tcp } = options
  return [{ personality, ...(number && { sim: { number } }), ...(pty && { pty }), ...(tcp && { tcp }) }]
}

function plan(setup: ModemSetup, index: number, everywhere: readonly FaultSettings[]): PlannedModem {
  const { name = `modem${index}`, personality, tcp, secondTcp, secondPty } = setup
  const pty = setup.pty ?? (tcp === undefined ? `${PTY_FOLDER}/${name}` : 'none')
  return {
    name,
    personality,
    imei: setup.imei ?? imeiOf(index),
    sim: setup.sim === null ? undefined : { ...setup.sim, number: setup.sim?.number ?? numberOf(index) },
    tcp,
    pty: pty === 'none' ? undefined : pty,
    second: secondTcp || secondPty ? { tcp: secondTcp, pty: secondPty } : undefined,
    faults: Object.assign({}, ...everywhere, setup.faults),
  }
}

function refuseTwice(key: string, values: readonly (string | undefined)[]): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (value === undefined) continue
    if (seen.has(value)) throw new StartError(`${key}: two modems have ${value}; give each modem its own ${key}`)
    seen.add(value)
  }
}

/** Returns one of the numbers that Ofcom reserves for fiction: +447700900000 to +447700900999. */
function numberOf(index: number): string {
  return `+44770090${String(index + 1).padStart(4, '0')}`
}

/** Returns the same IMEI at every start, because programs identify a modem by its IMEI. */
function imeiOf(index: number): string {
  return withCheckDigit(`35693803${String(564_809 + index).padStart(6, '0')}`)
}

/** Luhn, 23.003 Annex B. */
export function withCheckDigit(digits: string): string {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/**
 * Creates the SIM of a modem description. Missing ids are derived from the number, so that they are the same after a
 * restart.
 */
export function newSim({ number, iccid, imsi, ...rest }: NonNullable<PlannedModem['sim']>): Sim {
  const subscriber = number.slice(1).padStart(10, '0').slice(-10)
  return new Sim({
    msisdn: number,
    iccid: iccid ?? withCheckDigit(`89441000${subscriber}`),
    // Returns an IMSI of a test network (ITU-T E.212), by which agents recognise a virtual modem.
    imsi: imsi ?? `00101${subscriber}`,
    ...present(rest),
  })
}
