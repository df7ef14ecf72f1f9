import type { SeededRandom } from '@smsgw/virtual-modem/random'

/**
 * Plausible and impossible modem output: codes with valid and invalid bodies, digits, unclosed quotes, prompts,
 * results, noise. One character is one byte.
 */
export class RandomAnswers {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  below(limit: number): number {
    return this.#random.integer(limit)
  }

  once(inTimes: number): boolean {
    return this.#random.integer(inTimes) === 0
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.#random.integer(values.length)] as T
  }

  /** Returns a line without a trailing newline, but sometimes with a newline in the middle. */
  line(): string {
    switch (this.below(12)) {
      case 0:
        return this.oneOf(finalResults)
      case 1:
        return this.oneOf(wholeLines)
      case 2:
        return this.hex(this.below(this.once(50) ? 2_000 : 200))
      case 3:
        return this.noise(this.below(this.once(200) ? 20_000 : 40))
      case 4:
        return this.mutated(`${this.oneOf(prefixes)}: ${this.body()}`)
      case 5:
        return `${this.oneOf(prefixes)}${this.oneOf([':', ' ', '', ': '])}${this.body()}`
      case 6:
        return this.mutated(this.oneOf(seenAnswers))
      default:
        return this.once(3) ? this.oneOf(seenAnswers) : `${this.oneOf(prefixes)}: ${this.body()}`
    }
  }

  lineEnd(): string {
    return this.once(6) ? this.oneOf(['', '\r', '\n', '\r\r\n', '\0\r\n', '\r\n\r\n', '> ', '\x1a']) : '\r\n'
  }

  body(): string {
    let body = ''
    for (let count = this.below(this.once(100) ? 400 : 9); count > 0; count -= 1) body += this.#fragment()
    return body
  }

  hex(length: number): string {
    let digits = ''
    for (let count = length; count > 0; count -= 1) digits += hexDigits[this.below(16)]
    return digits
  }

  noise(length: number): string {
    let noise = ''
    for (let count = length; count > 0; count -= 1) noise += String.fromCharCode(this.below(256))
    return noise
  }

  /** Changes, removes, repeats or moves a few characters. */
  mutated(line: string): string {
    let mutant = line
    for (let count = 1 + this.below(3); count > 0; count -= 1) {
      const at = this.below(mutant.length + 1)
      const end = at + this.below(4)
      const put = this.oneOf(['', this.noise(1), this.#fragment(), mutant.slice(at, end).repeat(1 + this.below(3))])
      mutant = mutant.slice(0, at) + put + mutant.slice(end)
    }
    return mutant
  }

  #fragment(): string {
    switch (this.below(8)) {
      case 0:
        return String(this.below(this.oneOf([2, 12, 300, 70_000])))
      case 1:
        return `"${this.oneOf(words)}"`
      case 2:
        return this.oneOf(words)
      case 3:
        return this.hex(2 * this.below(40))
      case 4:
        return this.once(100) ? this.oneOf(['(', ' ', '<', '"', ',', '>']).repeat(3_000) : '('.repeat(this.below(4))
      case 5:
        return '"'.repeat(this.below(3))
      default:
        return this.oneOf([',', ',', ',', ')', ' ', '-', '+', ':', '.', ';', '\x80', '9'.repeat(30)])
    }
  }
}

const hexDigits = '0123456789ABCDEF'

const prefixes = [
  ...['+CSQ', '+CESQ', '+CREG', '+CGREG', '+CEREG', '+C5GREG', '+COPS', '+CPIN', '+CPINR', '+CFUN', '+CMEE', '+CSCS'],
  ...['+GCAP', '+CPAS', '+CMGF', '+CSMS', '+CNMI', '+CPMS', '+CMGL', '+CMGR', '+CMGS', '+CMGW', '+CMTI', '+CMT'],
  ...['+CDS', '+CDSI', '+CBM', '+CBMI', '+CUSD', '+CSCA', '+CNUM', '+CIMI', '+CCID', '+QCCID', '+ICCID', '+CRSM'],
  ...['+CPBS', '+CPBR', '+CCLK', '+CTZV', '+CTZE', '*PSUTTZ', '+CLCK', '+CMS ERROR', '+CME ERROR', '+CGSN', '+CGSMS'],
  ...['^CPIN', '^RSSI', '^HCSQ', '^SIMST', '^BOOT', '^SMMEMFULL', '^ICCID', '#STN', '#PCT', '+QPINC', '+SPIC', '+QIND'],
  ...['+ZPINPUK', '+UPINCNT', '*EPIN', '_OERCN', '%PINNUM', '+PNNM', '+CPNNUM', '+XPINCNT', '+QTRPIN', '+ZUSIMR', '+X'],
]

const words = [
  ...['SM', 'ME', 'MT', 'SR', 'BM', 'READY', 'SIM PIN', 'SIM PUK', 'GSM', 'UCS2', 'IRA', 'SMS DONE', 'PB DONE', 'SC'],
  ...[
    '+447700900123',
    '002B003400340037',
    '20/11/20,12:00:00+08',
    '5E25',
    '605F',
    'Vodafone',
    'NOT INSERTED',
    'Äö\xff',
  ],
]

const finalResults = [
  ...[
    'OK',
    'OK',
    'OK',
    'ERROR',
    '+CMS ERROR: 500',
    '+CMS ERROR: 38',
    '+CME ERROR: 14',
    '+CME ERROR: SIM busy',
    '0',
    '4',
  ],
  ...['NO CARRIER', 'CONNECT', 'CONNECT 115200', 'BUSY', 'COMMAND NOT SUPPORT', 'TOO MANY PARAMETERS', 'ABORTED'],
]

const wholeLines = [
  ...['RDY', 'RING', 'SMS READY', 'Call Ready', '*ATREADY: 1', 'NORMAL POWER DOWN', '>', '> ', 'AT', 'AT+CMGS=24', ''],
  ...['490154203237518', '262011234567890', 'Quectel', 'Revision: EC25EFAR06A06M4G', 'IMEI: 490154203237518'],
]

/** Answers recorded from real modems, and similar answers. */
const seenAnswers = [
  '+CREG: 2,1,4CA,81DE445',
  '+CREG: 2,1,"0B,"0100701",7',
  '+CREG: 000,001',
  '+CSCA: 002B00340034,145',
  '+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")',
  '+CPMS: (("SM","BM","SR"),("SM"))',
  '+CPMS: (ME", "SR")',
  '+CPMS: "SM",3,30,"ME",0,255,"ME",0,255',
  '+CNMI: (0-2),(0-3),(0,2),(0-2),(0,1)',
  '+CMGL: 1,1,,24',
  '+CMGR: ,,92',
  '+CMT: ,24',
  '+CDS: ,25',
  '+CDS: 25',
  '+CMTI: "SM",3',
  '+CUSD: 0,"Your balance is 3.20\n1: more',
  '+CUSD: 0, 00420061006C,72',
  '+CNUM: "","+447700900123",145',
  '+CRSM: 144,0,"98441100000009001110"',
  '+CPBR: 1,"+447700900123",145,"Alice"',
  '+COPS: 0,0,"Vodafone",7',
  '+CCLK: "26/11/20,15:00:00+04"',
  '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07',
  '0006110B911346610089F6208062917314082080629173140800',
]
