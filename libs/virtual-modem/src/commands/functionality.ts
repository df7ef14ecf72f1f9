import { answer, type CommandTable, error, ok, remembered } from './command.ts'

/** Power and activity: CFUN, CPAS, CBC, CIND. */
export const functionalityCommands: CommandTable = {
  '+CFUN': {
    test: () => answer('+CFUN: (0,1,4),(0,1)'),
    read: ({ settings }) => answer(`+CFUN: ${settings.functionality}`),
    set: (modem, parameters) => {
      const level = parameters.number(0)
      const restart = parameters.number(1, 0)
      if (![0, 1, 4].includes(level) || (restart !== 0 && restart !== 1)) return error
      if (restart === 1) {
        // The OK is sent before the modem restarts.
        modem.clock.after(restartAfterMs, () => modem.power.restart())
        return ok
      }
      modem.settings.functionality = level
      modem.radio.update()
      return ok
    },
  },
  '+CPAS': {
    test: () => answer('+CPAS: (0,3,4)'),
    execute: ({ call }) => answer(`+CPAS: ${call.ringing ? 3 : call.active ? 4 : 0}`),
  },
  '+CBC': { test: () => answer('+CBC: (0-3),(0-100)'), execute: () => answer('+CBC: 0,100') },
  '+CIND': {
    test: () =>
      answer(
        '+CIND: ("battchg",(0-5)),("signal",(0-5)),("service",(0,1)),("message",(0,1)),("call",(0,1)),("roam",(0,1)),("smsfull",(0,1))',
      ),
    read: ({ radio, call, sim }) => {
      const quality = radio.signalQuality
      const bars = quality === 99 ? 0 : Math.min(5, Math.ceil(quality / 6))
      const unread = [...(sim?.messages.entries() ?? [])].some(([, { state }]) => state === 0)
      const flags = [radio.registered, unread, call.active, radio.coverage?.stat === 5, sim?.messages.full ?? false]
      return answer(`+CIND: 5,${bars},${flags.map(Number).join(',')}`)
    },
    set: () => ok,
  },
  '+CMER': remembered('+CMER', '(0-3),(0),(0),(0,1),(0,1)', '0,0,0,0,0', /^[\d,]*$/),
  '+CEER': { execute: () => answer('+CEER: No cause information available') },
  '+CMUT': remembered('+CMUT', '(0,1)', '0', /^[01]$/),
  '+CALM': remembered('+CALM', '(0-2)', '0', /^[0-2]$/),
}

const restartAfterMs = 100
