import { accepted, answer, type CommandTable, cmeError, error, failWith, ok, remembered } from './command.ts'

/** Voice calls and supplementary services, with the details that messaging programs use. */
export const callCommands: CommandTable = {
  D: {
    needs: 'unlocked',
    execute: ({ call, radio }, { raw }) => {
      const number = /^[TP]?([+\d*#]+)[IG]*;$/i.exec(raw)?.[1]
      if (number === undefined || !radio.registered || call.active) return failWith('NO CARRIER')
      call.dial(number)
      return ok
    },
  },
  A: { execute: ({ call }) => (call.answer() ? ok : failWith('NO CARRIER')) },
  H: {
    execute: ({ call }) => {
      call.hangUp()
      return ok
    },
  },
  O: { execute: () => failWith('NO CARRIER') },
  '+CHUP': {
    test: () => ok,
    execute: ({ call }) => {
      call.hangUp()
      return ok
    },
  },
  '+CLCC': { test: () => ok, execute: ({ call }) => answer(...(call.listing === undefined ? [] : [call.listing])) },
  '+CLIP': {
    test: () => answer('+CLIP: (0,1)'),
    read: ({ settings }) => answer(`+CLIP: ${settings.callerIdentification ? 1 : 0},1`),
    set: ({ settings }, { raw }) => {
      if (raw !== '0' && raw !== '1') return error
      settings.callerIdentification = raw === '1'
      return ok
    },
  },
  '+CLIR': remembered('+CLIR', '(0-2)', '0,4', /^[0-2]$/),
  '+COLP': remembered('+COLP', '(0,1)', '0,0', /^[01]$/),
  '+CRC': remembered('+CRC', '(0,1)', '0', /^[01]$/),
  '+CR': remembered('+CR', '(0,1)', '0', /^[01]$/),
  '+CSTA': remembered('+CSTA', '(129,145)', '129', /^\d+$/),
  '+CMOD': remembered('+CMOD', '(0)', '0', /^0$/),
  '+CVHU': remembered('+CVHU', '(0,1)', '0', /^[01]$/),
  '+CSSN': remembered('+CSSN', '(0,1),(0,1)', '0,0', /^[01](,[01])?$/),
  '+CBST': remembered('+CBST', '(0,7,12,14),(0),(0,1)', '0,0,1', /^[\d,]*$/),
  '+CCWA': { needs: 'unlocked', test: () => answer('+CCWA: (0,1)'), read: () => answer('+CCWA: 0'), set: () => ok },
  '+CCFC': {
    needs: 'unlocked',
    test: () => answer('+CCFC: (0-5)'),
    set: (_, parameters) => (parameters.number(1) === 2 ? answer('+CCFC: 0,7') : cmeError(3)),
  },
  '+VTS': accepted,
  '+CHLD': { test: () => answer('+CHLD: (0,1,2,3)'), set: () => ok },
}

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
