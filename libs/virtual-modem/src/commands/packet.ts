import { answer, type CommandTable, error, ok, remembered } from './command.ts'

/** The packet service, with the details that messaging programs read: 27.007 §10. */
export const packetCommands: CommandTable = {
  '+CGATT': {
    needs: 'unlocked',
    test: () => answer('+CGATT: (0,1)'),
    read: ({ radio, settings }) =>
      answer(`+CGATT: ${settings.remembered.get('+CGATT') ?? (radio.registered ? '1' : '0')}`),
    set: ({ settings }, { raw }) => {
      if (raw !== '0' && raw !== '1') return error
      settings.remembered.set('+CGATT', raw)
      return ok
    },
  },
  '+CGDCONT': {
    needs: 'unlocked',
    test: () =>
      answer(
        '+CGDCONT: (1-16),"IP",,,(0-2),(0-4)',
        '+CGDCONT: (1-16),"IPV6",,,(0-2),(0-4)',
        '+CGDCONT: (1-16),"IPV4V6",,,(0-2),(0-4)',
      ),
    read: ({ settings }) => {
      const contexts = [...settings.remembered].filter(([key]) => key.startsWith('+CGDCONT/'))
      return answer(...contexts.map(([, context]) => `+CGDCONT: ${context}`))
    },
    set: ({ settings }, parameters) => {
      const id = parameters.number(0)
      if (!(id >= 1 && id <= 16)) return error
      if (parameters.count === 1) settings.remembered.delete(`+CGDCONT/${id}`)
      else {
        const [type, name] = [parameters.text(1) ?? 'IP', parameters.text(2) ?? '']
        settings.remembered.set(`+CGDCONT/${id}`, `${id},"${type}","${name}","",0,0`)
      }
      return ok
    },
  },
  '+CGACT': {
    needs: 'unlocked',
    test: () => answer('+CGACT: (0,1)'),
    read: () => answer('+CGACT: 1,0'),
    set: () => ok,
  },
  '+CGPADDR': {
    needs: 'unlocked',
    test: () => answer('+CGPADDR: (1)'),
    execute: () => answer('+CGPADDR: 1,""'),
    set: () => answer('+CGPADDR: 1,""'),
  },
  '+CGCLASS': remembered('+CGCLASS', '("A","B","CG","CC")', '"A"', /^"?(A|B|CG|CC)"?$/),
  '+CGEREP': remembered('+CGEREP', '(0-2),(0,1)', '0,0', /^[0-2](,[01])?$/),
  '+CGSMS': remembered('+CGSMS', '(0-3)', '3', /^[0-3]$/),
  '+CGAUTH': remembered('+CGAUTH', '(1-16),(0-3),(64),(64)', '1,0'),
}
