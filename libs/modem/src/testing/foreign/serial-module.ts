import type { Clock } from '../../clock.ts'
import type { ForeignModem } from './foreign-modem.ts'

/**
 * A module on a serial line, written only from V.250, 27.007 and 27.005. It reads one character at a time, echoes it,
 * accepts several commands in one line, and sends results in the form that V, E, Q and +CMEE select. It stores messages
 * in the memories SM and ME, whose indexes begin with 1.
 */
export class SerialModule implements ForeignModem {
  readonly sent: string[] = []
  readonly #clock: Clock
  readonly #memories: Record<string, Map<number, Stored>> = { SM: new Map(), ME: new Map() }
  #selected = ['SM', 'SM', 'SM']
  #out: (text: string) => void = () => undefined
  #input = ''
  #last = ''
  #pduLength: number | undefined
  #reference = 40
  #registers = { echo: 1, verbose: 1, quiet: 0, cmee: 0, cmgf: 1, creg: 0, cgreg: 0, cscs: 'IRA', csms: 0 }
  #cnmi = [0, 0, 0, 0, 0]

  constructor(clock: Clock) {
    this.#clock = clock
  }

  onOutput(listener: (text: string) => void): void {
    this.#out = listener
  }

  input(text: string): void {
    for (const char of text) this.#type(char)
  }

  deliver(pdu: string): void {
    const name = this.#selected[2] ?? 'SM'
    const memory = this.#memories[name] ?? new Map<number, Stored>()
    let index = 1
    while (memory.has(index)) index += 1
    memory.set(index, { pdu, stat: 0 })
    if (this.#cnmi[1] === 1) this.#say(`+CMTI: "${name}",${index}`)
  }

  get stored(): number {
    return Object.values(this.#memories).reduce((sum, { size }) => sum + size, 0)
  }

  #type(char: string): void {
    if (this.#pduLength !== undefined) {
      this.#typePdu(char, this.#pduLength)
      return
    }
    if (this.#registers.echo === 1 && char !== '\x1b') this.#out(char)
    if (char === '\b') this.#input = this.#input.slice(0, -1)
    else if (char === '\r') this.#endLine()
    else if (char >= ' ') this.#input += char
  }

  #typePdu(char: string, length: number): void {
    if (char === '\x1b') {
      this.#pduLength = undefined
      this.#input = ''
      this.#result(0)
    } else if (char === '\x1a') {
      const pdu = this.#input
      this.#input = ''
      this.#pduLength = undefined
      this.#clock.after(300, () => {
        const octets = pdu.length / 2 - 1 - Number.parseInt(pdu.slice(0, 2), 16)
        if (octets !== length) {
          this.#result(4, '+CMS ERROR: 304')
          return
        }
        this.#reference = (this.#reference + 1) % 256
        this.sent.push(pdu)
        this.#say(`+CMGS: ${this.#reference}`)
        this.#result(0)
      })
    } else if (char > ' ') this.#input += char
  }

  #endLine(): void {
    const line = this.#input.trim()
    this.#input = ''
    const text = /^a\/$/i.test(line) ? this.#last : line
    const body = /^at(.*)$/i.exec(text)?.[1]
    if (body === undefined) return
    this.#last = text
    const results = commandsIn(body).map((command) => this.#execute(command))
    const failed = results.find((each) => typeof each === 'string')
    if (results.at(-1) === 'later') return
    if (failed !== undefined) this.#result(4, failed)
    else this.#result(0)
  }

  /** Returns undefined for OK, or the error. */
  #execute(command: string): string | undefined {
    const basic = /^([EVQI])(\d*)$/.exec(command)
    if (basic) return this.#basic(basic[1] ?? '', Number(basic[2] || 0))
    const parts = /^(\+[A-Z]+)(=\?|\?|=)?(.*)$/.exec(command)
    if (parts === null) return ''
    const [, name = '', form = '', parameters = ''] = parts
    const answer = this.#extended(name, form, parameters)
    if (answer === undefined) return this.#error(name)
    if (answer === later) return 'later'
    for (const line of answer) this.#say(line)
    return undefined
  }

  #basic(letter: string, value: number): string | undefined {
    const registers = this.#registers
    if (letter === 'I') this.#say('Example Modules 900B')
    else if (value > 1) return ''
    else if (letter === 'E') registers.echo = value
    else if (letter === 'V') registers.verbose = value
    else registers.quiet = value
    return undefined
  }

  #extended(name: string, form: string, text: string): readonly string[] | typeof later | undefined {
    const registers = this.#registers
    const numbers = text.split(',').map(Number)
    const [first = 0] = numbers
    switch (name + form) {
      case '+GCAP':
        return ['+GCAP: +CGSM,+FCLASS']
      case '+CPAS':
        return ['+CPAS: 0']
      case '+CGMI':
        return ['Example Modules']
      case '+CGMM':
        return ['900B']
      case '+CGMR':
        return ['Revision 7.4']
      case '+CGSN':
      case '+GSN':
        return ['350000000000016']
      case '+CMEE?':
        return [`+CMEE: ${registers.cmee}`]
      case '+CMEE=?':
        return ['+CMEE: (0-2)']
      case '+CMEE=':
        registers.cmee = first
        return []
      case '+CFUN?':
        return ['+CFUN: 1']
      case '+CFUN=':
        return []
      case '+CPIN?':
        return ['+CPIN: READY']
      case '+CSCS?':
        return [`+CSCS: "${registers.cscs}"`]
      case '+CSCS=':
        registers.cscs = text.replaceAll('"', '')
        return []
      case '+CMGF?':
        return [`+CMGF: ${registers.cmgf}`]
      case '+CMGF=':
        registers.cmgf = first
        return []
      case '+CSMS?':
        return [`+CSMS: ${registers.csms},1,1,1`]
      case '+CSMS=':
        registers.csms = first
        return ['+CSMS: 1,1,1']
      case '+CNMI?':
        return [`+CNMI: ${this.#cnmi.join()}`]
      case '+CNMI=?':
        return ['+CNMI: (0-2),(0-2),(0),(0,1),(0)']
      case '+CNMI=':
        if (first > 2 || (numbers[4] ?? 0) > 0) return undefined
        this.#cnmi = numbers
        return []
      case '+CIMI':
        return ['001019876543210']
      case '+CSCA?':
        return ['+CSCA: "+12063130004",145']
      case '+CCID':
        return ['+CCID: "89014103211118510720"']
      case '+CNUM':
        return []
      case '+CREG=':
        registers.creg = first
        return []
      case '+CREG?':
        return [`+CREG: ${registers.creg},1`]
      case '+CGREG=':
        registers.cgreg = first
        return []
      case '+CGREG?':
        return [`+CGREG: ${registers.cgreg},1`]
      case '+CSQ':
        return ['+CSQ: 17,0']
      case '+COPS?':
        return ['+COPS: 0,0,"Example Net"']
      case '+CMMS=':
        return []
      case '+CMGS=':
        if (registers.cmgf !== 0) return undefined
        this.#pduLength = first
        this.#out('\r\n> ')
        return later
      default:
        return this.#storage(name + form, text)
    }
  }

  #storage(command: string, text: string): readonly string[] | undefined {
    const memory = this.#memories[this.#selected[0] ?? ''] ?? new Map<number, Stored>()
    const index = Number(text.split(',')[0])
    const stored = memory.get(index)
    switch (command) {
      case '+CPMS=?':
        return ['+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")']
      case '+CPMS?':
        return [`+CPMS: ${this.#selected.map((name) => `"${name}",${this.#usage(name)}`).join()}`]
      case '+CPMS=': {
        const names = text.replaceAll('"', '').split(',')
        if (names.some((name) => !(name in this.#memories))) return undefined
        this.#selected = this.#selected.map((before, at) => names[at] ?? before)
        return [`+CPMS: ${this.#selected.map((name) => this.#usage(name)).join()}`]
      }
      case '+CMGL=':
        if (this.#registers.cmgf !== 0) return undefined
        return [...memory].flatMap(([at, { pdu, stat }]) => [`+CMGL: ${at},${stat},,${tpduLength(pdu)}`, pdu])
      case '+CMGR=':
        if (stored === undefined) return undefined
        return [`+CMGR: ${stored.stat},,${tpduLength(stored.pdu)}`, stored.pdu]
      case '+CMGD=':
        memory.delete(index)
        return []
      default:
        return undefined
    }
  }

  #usage(name: string): string {
    return `${this.#memories[name]?.size ?? 0},20`
  }

  /** 27.005 §3.1: message commands fail with +CMS, others with +CME if that is selected. */
  #error(name: string): string {
    if (name === '+CMGR') return '+CMS ERROR: 321'
    if (/^\+CM[GS]|^\+C[PSN]M/.test(name)) return '+CMS ERROR: 303'
    return this.#registers.cmee === 0 ? '' : '+CME ERROR: 4'
  }

  #say(line: string): void {
    this.#out(`\r\n${line}\r\n`)
  }

  #result(code: number, error = ''): void {
    const { verbose, quiet } = this.#registers
    if (quiet === 1) return
    if (error !== '') this.#say(error)
    else if (verbose === 1) this.#say(code === 0 ? 'OK' : 'ERROR')
    else this.#out(`${code}\r`)
  }
}

interface Stored {
  readonly pdu: string
  readonly stat: number
}

const later = Symbol('later')

/** V.250 §5.2.1: basic commands follow each other directly, extended commands end with a semicolon. */
function commandsIn(body: string): string[] {
  const commands: string[] = []
  let rest = body
  while (rest !== '') {
    const basic = /^([EVQIZ]\d*)/i.exec(rest)?.[1]
    const command = basic ?? rest.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)[0] ?? rest
    commands.push(command.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : part.toUpperCase())))
    rest = rest.slice(command.length).replace(/^;/, '')
  }
  return commands
}

function tpduLength(pdu: string): number {
  return pdu.length / 2 - 1 - Number.parseInt(pdu.slice(0, 2), 16)
}
