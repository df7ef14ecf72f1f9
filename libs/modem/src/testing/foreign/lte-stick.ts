import type { Clock } from '../../clock.ts'
import type { ForeignModem } from './foreign-modem.ts'

/**
 * An LTE stick, written from 27.005 and 27.007 as a table: registered in LTE only, 100 messages in the memory ME, whose
 * indexes begin with 10, a prompt without a blank, and unsolicited lines before and after each answer.
 */
export function lteStick(clock: Clock): ForeignModem {
  const sent: string[] = []
  const slots = new Map<number, string>()
  const settings: Record<string, string> = {
    ...{ '+CMEE': '2', '+CMGF': '1', '+CSMS': '0', '+CEREG': '0', '+CTZR': '0', '+CTZU': '0' },
    ...{ '+CNMI': '1,0,0,0,0', '+CSCS': '"UCS2"', '+CFUN': '1' },
  }
  const fixed: Record<string, string> = {
    ...{
      '+CGMI': 'Example Wireless',
      '+CGMM': '+CGMM: "XL-4"',
      '+CGMR': '+CGMR: XL4_1.22',
      '+CGSN': '+CGSN: "350000000000024"',
    },
    ...{ '+CPIN?': '+CPIN: READY', '+CIMI': '001010000000042', '+CNUM': '+CNUM: "","15550100",129' },
    ...{
      '+ICCID': '+ICCID: 8901260000000000042',
      '+CSCA?': '+CSCA: "002B00310032003000360035003500350030003100300030",145',
    },
    ...{ '+CMEE=?': '+CMEE: (0,1,2)', '+GCAP': '+GCAP: +CGSM,+CLTE1', '+CPAS': '+CPAS: 0', '+CSQ': '+CSQ: 99,99' },
    ...{ '+CESQ': '+CESQ: 99,99,255,255,21,54', '+COPS?': '+COPS: 0,2,"00101",7', '+CSMS=': '+CSMS: 1,1,1' },
    ...{ '+CPMS=?': '+CPMS: ("ME"),("ME"),("ME")', '+CNMI=?': '+CNMI: (1,2),(0,1,2),(0,2),(0,1,2),(0,1)' },
  }
  let say: (text: string) => void = () => undefined
  let nextIndex = 10
  let reference = 250
  let buffer = ''
  let isInPdu = false

  const line = (text: string) => say(`\r\n${text}\r\n`)
  const row = (pdu: string) => `${(pdu.length - 2 - 2 * Number.parseInt(pdu.slice(0, 2), 16)) / 2}`

  function answer(name: string, form: string, value: string): string {
    const usage = `${slots.size},100`
    switch (name + form) {
      case '+CPMS=':
        if (value.replaceAll(/"|ME|,/g, '') !== '') return '+CMS ERROR: 302'
        return result(`+CPMS: ${usage},${usage},${usage}`)
      case '+CPMS?':
        return result(`+CPMS: "ME",${usage},"ME",${usage},"ME",${usage}`)
      case '+CEREG?':
        return result(`+CEREG: ${settings['+CEREG']},1,"1A2B","01ABCDEF",7`)
      case '+CMGL=':
        for (const [index, pdu] of slots) line(`+CMGL: ${index},0,"",${row(pdu)}\r\n${pdu}`)
        return 'OK'
      case '+CMGR=':
        return slots.has(Number(value))
          ? result(`+CMGR: 0,"",${row(slots.get(Number(value)) ?? '')}\r\n${slots.get(Number(value))}`)
          : 'OK'
      case '+CMGD=':
        slots.delete(Number(value.split(',')[0]))
        return 'OK'
      case '+CMGS=':
        isInPdu = true
        say('\r\n>')
        return ''
      default: {
        const information = fixed[name + form]
        if (information !== undefined) return result(information)
        if (form === '?' && settings[name] !== undefined) return result(`${name}: ${settings[name]}`)
        if (form !== '=' || settings[name] === undefined) return '+CME ERROR: operation not supported'
        settings[name] = value
        return 'OK'
      }
    }
  }

  function result(information: string): string {
    line(information)
    return 'OK'
  }

  function take(text: string): void {
    const parts = /^AT(?:(E[01]|V1)|(\+\w+)(=\?|[?=])?(.*))?$/i.exec(text)
    if (parts === null) return
    line('^RSSI: 54')
    const final = parts[2] === undefined ? 'OK' : answer(parts[2].toUpperCase(), parts[3] ?? '', parts[4] ?? '')
    if (final === '') return
    line(final)
    line('$NOTE: 1')
  }

  function takePdu(pdu: string): void {
    clock.after(900, () => {
      sent.push(pdu)
      reference = (reference + 1) % 256
      line(`+CMGS: ${reference},"26/11/23,12:00:00+00"`)
      line('^RSSI: 51')
      line('OK')
    })
  }

  return {
    sent,
    get stored() {
      return slots.size
    },
    onOutput: (listener) => {
      say = listener
    },
    deliver: (pdu) => {
      slots.set(nextIndex, pdu)
      if (settings['+CNMI']?.split(',')[1] === '1') line(`+CMTI: "ME",${nextIndex}`)
      nextIndex += 1
    },
    input: (text) => {
      for (const char of text) {
        if (isInPdu && (char === '\x1a' || char === '\x1b')) {
          isInPdu = false
          if (char === '\x1a') takePdu(buffer)
          else line('OK')
          buffer = ''
        } else if (char === '\r' && !isInPdu) {
          take(buffer)
          buffer = ''
        } else if (char > ' ') buffer += char
      }
    },
  }
}
