import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { accessTechnology } from '../equipment/radio.ts'
import type { NetworkOperator } from '../network/coverage.ts'
import { textForHost } from '../wire/character-set.ts'
import type { CommandParameters } from '../wire/parameters.ts'
import { answer, type CommandTable, cmeError, error, type Outcome, ok, pending, remembered } from './command.ts'

/** COPS and related commands: 27.007 §7.3. */
export const operatorCommands: CommandTable = {
  '+COPS': { needs: 'unlocked', test: scan, read: current, set: select },
  '+COPN': {
    execute: ({ network }) => answer(...network.operators.map(({ numeric, name }) => `+COPN: "${numeric}","${name}"`)),
  },
  '+WS46': remembered('+WS46', '(12,22,25,28,29)', '25', /^\d+$/),
  '+CPLS': remembered('+CPLS', '(0-2)', '0', /^[0-2]$/),
}

function current({ radio, settings, personality }: MobileEquipment): Outcome {
  const { operatorMode, operatorFormat, characterSet } = settings
  const { coverage } = radio
  if (!radio.registered || coverage === undefined) return answer(`+COPS: ${operatorMode}`)
  const name = operatorName(coverage.operator, operatorFormat, characterSet)
  const technology = personality.registration.showsTechnology ? `,${accessTechnology[coverage.technology]}` : ''
  return answer(`+COPS: ${operatorMode},${operatorFormat},"${name}"${technology}`)
}

function scan(modem: MobileEquipment): Outcome {
  const { network, radio, clock, settings, simUsable } = modem
  if (!simUsable) return cmeError(modem.sim === undefined ? 10 : 11)
  const { technology = 'lte', operator } = radio.coverage ?? {}
  const list = network.operators.map((offered) => {
    const stat = offered.numeric === operator?.numeric && radio.registered ? 2 : 1
    const names = ([0, 1, 2] as const).map((format) => `"${operatorName(offered, format, settings.characterSet)}"`)
    return `(${stat},${names.join(',')},${accessTechnology[technology]})`
  })
  const found = answer(`+COPS: ${list.join(',')},,(0-4),(0-2)`)
  let end: ((outcome: Outcome) => void) | undefined
  return pending(
    (finish) => {
      end = finish
      clock.after(network.latencyMs() * scanLatencies, () => finish(found))
    },
    () => end?.(error),
  )
}

function select(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const { settings, network, radio, clock } = modem
  const mode = parameters.number(0)
  const format = parameters.number(1, settings.operatorFormat)
  if (![0, 1, 2, 3, 4].includes(mode) || (format !== 0 && format !== 1 && format !== 2)) return error
  if (mode === 3) {
    settings.operatorFormat = format
    return ok
  }
  const wanted = parameters.text(2)
  if ((mode === 1 || mode === 4) && wanted === undefined) return error
  if (mode === 1 || mode === 4) {
    const operator = network.operators.find((offered) => operatorName(offered, format, 'GSM') === wanted)
    // Only the home network accepts the SIM, so selecting another operator is refused.
    if (operator !== network.operators[0] && mode === 1) return cmeError(operator ? 32 : 30)
  }
  settings.operatorMode = mode === 4 ? 0 : mode
  return pending((finish) =>
    clock.after(network.latencyMs(), () => {
      radio.update()
      finish(ok)
    }),
  )
}

function operatorName(operator: NetworkOperator, format: 0 | 1 | 2, characterSet: string): string {
  if (format === 2) return operator.numeric
  return textForHost(format === 0 ? operator.name : operator.shortName, characterSet === 'UCS2' ? 'UCS2' : 'IRA')
}

/** The duration of a scan, as a multiple of the message latency. */
const scanLatencies = 15
