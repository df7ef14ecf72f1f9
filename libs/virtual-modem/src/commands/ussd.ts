import { answer, type CommandTable, cmeError, error, ok } from '../command.ts'

/** CUSD: 27.007 §7.15. */
export const ussdCommands: CommandTable = {
  '+CUSD': {
    needs: 'unlocked',
    test: () => answer('+CUSD: (0,1,2)'),
    read: ({ settings }) => answer(`+CUSD: ${settings.ussdReports}`),
    set: (modem, parameters) => {
      const mode = parameters.number(0, modem.settings.ussdReports)
      if (![0, 1, 2].includes(mode)) return error
      if (mode === 2) {
        modem.ussd.cancel()
        return ok
      }
      modem.settings.ussdReports = mode
      const string = parameters.text(1)
      if (string === undefined) return ok
      if (!modem.radio.registered) return cmeError(30)
      return modem.ussd.send(string, parameters.number(2, 15)) ? ok : cmeError(50)
    },
    execute: ({ settings }) => {
      settings.ussdReports = 0
      return ok
    },
  },
}
