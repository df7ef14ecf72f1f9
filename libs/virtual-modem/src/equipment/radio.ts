import type { Clock } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import { type Coverage, isRegistered, type RadioTechnology, type RegistrationStat } from '../network/coverage.ts'
import type { Network } from '../network/network.ts'
import type { Station } from '../network/station.ts'
import type { Sim } from '../sim/sim.ts'
import type { RegistrationTraits } from './personality-traits.ts'
import type { EquipmentSettings, RegistrationCommand } from './settings.ts'

/**
 * The registration of the modem.
 *
 * - off: no usable SIM, CFUN other than 1, or COPS=2.
 * - searching: the radio is on and the search has not ended.
 * - camped: the network or a fault determines the status: registered, denied or emergency only.
 *
 * Messages can be sent and received while the modem is camped and registered and the message service is ready.
 */
export class Radio {
  readonly #modem: RadioModem
  readonly #station: Station
  #state: 'off' | 'searching' | 'camped' = 'off'
  #started = false
  #attached = false
  #searchMs = 0
  #firstLines: (() => void) | undefined
  #announced = new Map<RegistrationCommand, string>()

  /** `station` receives messages and calls from the network while the modem is attached. */
  constructor(modem: RadioModem, station: Station) {
    this.#modem = modem
    this.#station = station
  }

  /** Starts the search once the SIM is ready. */
  start(searchMs: number, lines: readonly string[], say: (...lines: readonly string[]) => void): void {
    const { sim, network } = this.#modem
    if (sim === undefined) return
    this.#started = true
    this.#searchMs = searchMs
    this.#firstLines = () => say(...lines)
    network.whenCoverageChanges(sim, () => {
      this.update()
      this.#modem.unsolicited.say(
        ...this.#modem.personality.registration.changeLines({ radio: this, settings: this.#modem.settings }),
      )
    })
    this.update()
  }

  stop(): void {
    const { sim, network } = this.#modem
    this.#started = false
    this.update()
    if (sim) network.whenCoverageChanges(sim, undefined)
  }

  /** Must be called after any change that may affect registration. */
  update(): void {
    const { settings, sim } = this.#modem
    const unlocked = sim?.guard.state === 'ready'
    const wanted = this.#started && unlocked && settings.functionality === 1 && settings.operatorMode !== 2
    if (!wanted) this.#state = 'off'
    else if (this.#state === 'off') this.#search()
    this.#attachOrDetach()
    this.#announce()
  }

  get coverage(): Coverage | undefined {
    const { sim, network, faults, personality } = this.#modem
    if (sim === undefined || this.#state === 'off') return undefined
    const { bestTechnology } = personality.registration
    const offered = network.coverage(sim)
    const coverage = { ...offered, technology: lesserTechnology(offered.technology, bestTechnology) }
    if (this.#state === 'searching') return { ...coverage, stat: 2 }
    const fault = faults.standing('registration')
    return fault ? { ...coverage, stat: statOf(fault.stat) } : coverage
  }

  get registered(): boolean {
    const coverage = this.coverage
    return coverage !== undefined && isRegistered(coverage.stat)
  }

  stat(command: RegistrationCommand): RegistrationStat {
    const coverage = this.coverage
    if (coverage === undefined) return 0
    const epsOnly = this.#modem.faults.standing('eps-only') !== undefined
    switch (command) {
      case '+CREG':
      case '+CGREG':
        return epsOnly ? 0 : coverage.stat
      case '+CEREG':
        return epsOnly || coverage.technology === 'lte' ? coverage.stat : 0
      case '+C5GREG':
        return coverage.technology === 'nr' ? coverage.stat : 0
    }
  }

  /** Returns the fields that follow `<n>,` in an answer, or that follow the prefix in an unsolicited report. */
  report(command: RegistrationCommand, level: number): string {
    const stat = this.stat(command)
    const coverage = this.coverage
    if (level < 2 || coverage === undefined || !isRegistered(stat)) return `${stat}`
    const area = coverage.areaCode.toString(16).toUpperCase().padStart(4, '0')
    const { cellDigits, showsTechnology } = this.#modem.personality.registration
    const cell = coverage.cellId.toString(16).toUpperCase().padStart(8, '0').slice(-cellDigits)
    const technology = showsTechnology ? `,${accessTechnology[coverage.technology]}` : ''
    return `${stat},"${area}","${cell}"${technology}`
  }

  /** CSQ: 0 to 31, or 99. */
  get signalQuality(): number {
    const dbm = this.signalDbm
    return dbm === undefined ? 99 : Math.min(31, Math.max(0, Math.round((dbm + 113) / 2)))
  }

  get signalDbm(): number | undefined {
    const { faults, network } = this.#modem
    const signalDbm = this.#state === 'camped' ? this.coverage?.signalDbm : undefined
    if (signalDbm === undefined || faults.strike('signal-unknown')) return undefined
    return signalDbm + network.signalWander()
  }

  #search(): void {
    this.#state = 'searching'
    const found = () => {
      if (this.#state !== 'searching') return
      this.#state = 'camped'
      this.#firstLines?.()
      this.#firstLines = undefined
      this.#attachOrDetach()
      this.#announce()
    }
    if (this.#searchMs <= 0) found()
    else this.#modem.clock.after(this.#searchMs, found)
    this.#searchMs = 0
  }

  #attachOrDetach(): void {
    const { sim, network } = this.#modem
    const wanted = this.registered && this.#modem.smsReady
    if (sim === undefined || wanted === this.#attached) return
    this.#attached = wanted
    if (wanted) network.attach(sim, this.#station)
    else network.detach(sim, this.#station)
  }

  #announce(): void {
    const { settings, unsolicited, personality } = this.#modem
    for (const command of personality.registration.commands) {
      const level = settings.registrationReports[command]
      const report = this.report(command, level)
      if (this.#announced.get(command) === report) continue
      this.#announced.set(command, report)
      if (level > 0) unsolicited.say(`${command}: ${report}`)
    }
  }

  /** Must be called when `+CREG=2` or similar was set. Does not report the current state, only later changes. */
  reportsSet(command: RegistrationCommand): void {
    this.#announced.set(command, this.report(command, this.#modem.settings.registrationReports[command]))
  }
}

/** The parts of the modem that registration needs. */
export interface RadioModem {
  readonly clock: Clock
  readonly faults: FaultControl
  readonly network: Network
  readonly sim: Sim | undefined
  readonly settings: EquipmentSettings
  readonly smsReady: boolean
  readonly personality: { readonly registration: RegistrationTraits }
  readonly unsolicited: { say(...lines: readonly string[]): void }
}

/** 27.007 §7.3 `<AcT>` */
export const accessTechnology: Readonly<Record<RadioTechnology, number>> = {
  gsm: 0,
  edge: 3,
  umts: 2,
  hspa: 6,
  lte: 7,
  nr: 11,
}

const technologies: readonly RadioTechnology[] = ['gsm', 'edge', 'umts', 'hspa', 'lte', 'nr']

function lesserTechnology(one: RadioTechnology, other: RadioTechnology): RadioTechnology {
  return technologies.indexOf(one) < technologies.indexOf(other) ? one : other
}

function statOf(number: number): RegistrationStat {
  return stats.find((stat) => stat === number) ?? 4
}

const stats: readonly RegistrationStat[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11]
