import type { UsbPortRole, UsbRule, UsbSource } from './usb-port.ts'

/**
 * The ports of USB modems whose descriptors do not show which port takes commands: vendor, products, the interface
 * numbers of the ports, name. `second` is a command port that ModemManager leaves free, because ModemManager uses the
 * first port; `unused` answers no commands. The facts from ModemManager are from version 1.24.2; `npm run oracle
 * --workspace @smsgw/modem` compares the table with the installed version.
 */
const tables: Readonly<Partial<Record<UsbSource, string>>> = {
  ModemManager: `
0421 | 060d 0611 061a 061b 061f 0620 0623 0624 0625 062a 062e 062f | at 1 | Nokia internet sticks
0421 | 0619 | at 3 | Nokia internet sticks
0489 | e0b4 e0b5 | at 2, second 3, nmea 4, diagnostic 5 | Foxconn T77W968
05c6 | 908b | at 1, second 2, unused 0 3 | Cellient MPL200
07d1 | 7e11 | at 2, second 3 | D-Link DWM-156 A5
0b3c | c005 | at 5, second 0 1 2 3 6 | Olivetti Olicard 200
0e8d | 0023 00a5 00a7 | at 2, second 3 | MediaTek sticks
0e8d | 00a1 00a2 | at 0, second 1 | MediaTek sticks
0e8d | 00a4 | at 0, second 2 | MediaTek sticks
1199 | 68c0 9071 9079 9091 | at 3, nmea 2, diagnostic 0 | Sierra MC and EM
1199 | c001 | at 0, ppp 2, nmea 4 | Sierra HL7812
1508 | 1001 | at 1, second 2 3, diagnostic 0 | Fibocom MA510 and similar
1782 | 4d10 | at 0, second 5 6, unused 1 2 3 4 | Unisoc modules
1782 | 4d11 | at 2, second 7 8, unused 0 1 3 4 5 6 | Fibocom L610
19d2 | 0001 1515 | at 0, second 2 | ZTE sticks
19d2 | 0002 0012 0024 0025 0055 | at 2, second 4 | ZTE sticks
19d2 | 0003 0004 0005 0006 0007 0008 0009 000a | at 0, second 1 | ZTE sticks
19d2 | 0015 0030 0054 | at 1, second 3 | ZTE sticks
19d2 | 0016 0017 0018 0019 0117 0156 | at 2, second 1 | ZTE sticks
19d2 | 0021 0031 0037 0039 0042 0052 0057 0058 0061 0063 0066 0078 | at 3, second 1 | ZTE sticks
19d2 | 0082 0104 0106 0108 0122 0123 1007 1008 1010 1254 1268 2002 | at 3, second 1 | ZTE sticks
19d2 | 2003 | at 3, second 1 | ZTE sticks
19d2 | 0033 0091 0113 0118 0121 0124 0126 0128 | at 4, second 1 | ZTE sticks
19d2 | 0043 | at 3, second 2 | ZTE sticks
19d2 | 0048 0049 | at 4, second 2 | ZTE sticks
19d2 | 0064 | at 2, second 0 | ZTE sticks
19d2 | 0125 | at 5, second 1 | ZTE sticks
1bbb | 0000 | at 3, second 0 1 2 | Alcatel X200, X220
1bbb | 0017 | at 5, second 0 1 2 3 | Alcatel sticks
1bbb | 00b7 | at 4, second 0 3 | Alcatel sticks
1bbb | 022c | at 1, second 2, unused 0 3 | Alcatel sticks
1bc7 | 1003 1006 | at 0, second 2 | Telit UC864-E
1bc7 | 1004 1005 | at 0, second 3, nmea 2 | Telit UC864-G
1bc7 | 1010 | at 3, second 2, nmea 1 | Telit DE910-DUAL
1bc7 | 1011 | at 1 | Telit CE910-DUAL
1bc7 | 1031 1033 1101 110a | at 1, second 2, diagnostic 0 | Telit modules
1bc7 | 1040 1050 | at 4, second 5, diagnostic 0, unused 3 6 | Telit LE922, FN980 and similar
1bc7 | 1041 1051 | at 5, second 6, diagnostic 0, unused 4 7 | Telit modules
1bc7 | 1060 1070 1201 | at 4, second 5, nmea 3, diagnostic 0, unused 6 | Telit FN990
1bc7 | 1061 1071 1204 | at 5, second 6, nmea 4, diagnostic 0, unused 7 | Telit modules
1bc7 | 3000 | at 2, nmea 1, diagnostic 3 | Telit FN912C04
1bc7 | 3001 | at 1, diagnostic 2 | Telit modules
1bc7 | 7010 7011 | at 4, second 3, unused 2 | Telit LE910S1
1c9e | 3197 | at 0, second 1 | Longcheer sticks
1c9e | 6000 6060 6061 | at 0, second 2 | Longcheer sticks
1c9e | 7001 | at 2, second 0 3 | Longcheer sticks
1c9e | 7002 | at 2, second 0 3 4 | Longcheer sticks
1c9e | 7101 | at 4, second 0 5 | Longcheer sticks
1c9e | 7102 | at 4, second 0 5 6 | Longcheer sticks
1c9e | 8000 | at 5, second 0 2 | Longcheer sticks
1c9e | 8001 8002 | at 4, second 0 2 | Longcheer sticks
1c9e | 9000 | at 3, second 1 | Longcheer sticks
1c9e | 9001 9002 9012 9022 9603 | at 2, second 0 1 | Longcheer sticks
1c9e | 9003 9605 | at 3, second 0 1 2 | Longcheer sticks
1c9e | 9004 9005 | at 1, second 0 | Longcheer sticks
1c9e | 9010 9020 9604 | at 3, second 0 1 | Longcheer sticks
1c9e | 9602 | at 0, second 1 2 | Longcheer sticks
1c9e | 9606 | at 4, second 0 1 2 | Longcheer sticks
1c9e | 9607 | at 4, second 0 1 2 3 | Longcheer sticks
1e0e | 9001 | at 2, second 3, nmea 1, diagnostic 0, audio 4 | SIMCom SIM7500, SIM7600
1e0e | 9011 | at 4, ppp 5, unused 2 | SIMCom modules
1e0e | 9100 9200 | at 3, second 1 | SIMCom modules
1e0e | 9205 | at 2, ppp 3, nmea 1, diagnostic 0 | SIMCom SIM7070
1e0e | 9206 | at 2, ppp 5, nmea 1, diagnostic 0, unused 3 4 | SIMCom SIM7000
1e0e | cefe | at 2, second 0 1 | SIMCom modules
1e2d | 005b 005d | at 0, second 2, nmea 4, diagnostic 8, unused 6 | Cinterion PLS62
1e2d | 0061 | at 2, ppp 0, nmea 4, unused 6 8 | Cinterion PLS8
1e2d | 0069 006f | at 0, second 2, nmea 4, diagnostic 6 | Cinterion PLS63, PLS83
2001 | 7d00 | at 0, second 1 | D-Link DWM-156 A3
2001 | 7e35 | at 1, second 2, unused 0 3 | D-Link DWM-222
201e | 10f8 | at 3 | Haier CE81B
2020 | 2060 | at 1, second 2 3, diagnostic 0 | BroadMobi BM818
230d | 0001 | at 3, ppp 1 | Linktop sticks
2357 | 9000 | at 3, unused 0 1 | TP-Link MA260
2c7c | 0121 0125 0191 0195 0296 0306 0512 0800 0801 | at 2, second 3, nmea 1, diagnostic 0 | Quectel EC2x, EG0x, EG9x, BG96, RM500
2c7c | 0128 | at 5, nmea 4, diagnostic 3, unused 0 1 2 | Quectel EM060K
2cb7 | 0007 | at 2, second 6, unused 0 1 3 4 5 | Fibocom L850
2cb7 | 0104 | at 1, second 2, diagnostic 0, unused 3 | Fibocom FM150
2cb7 | 0106 | at 1, second 2, unused 0 | Fibocom MA510
2cb7 | 010a | at 0, second 1 | Fibocom modules
2cb7 | 0115 | at 3, unused 2 4 5 | Fibocom NL668-EAU
2cb7 | 01a0 | at 2, second 3, unused 4 | Fibocom NL668, FM101
2cb7 | 01a2 | at 2, unused 3 4 5 | Fibocom modules
2cb7 | 01a4 | at 3, unused 2 4 5 6 | Fibocom FM101 with a debug bridge
305a | 1405 | at 1, second 2, unused 0 5 | GosunCn modules
33f8 | 0104 | at 1, second 2, nmea 3, diagnostic 0 | Rolling Wireless RW101, RW135
33f8 | 0115 | at 4, nmea 2, diagnostic 3 | Rolling Wireless RW101, RW135
33f8 | 01a2 | at 2, nmea 5, diagnostic 4, unused 3 | Rolling Wireless RW101, RW135
33f8 | 01a4 | at 3, nmea 5 6, diagnostic 2 | Rolling Wireless RW101, RW135
3731 | 0100 0101 0106 010a 010b 010c 010d 0111 0112 0113 0115 0116 | at 5, nmea 4, diagnostic 3 | NetPrisma LCUK54, LCUR57
413c | 81d7 81e0 | at 2, second 3, nmea 4, diagnostic 5 | Dell DW5820e, DW5821e
1e0e | 9018 | at 4, ppp 5 | SIMCom A7600, A7670, SIM7670
`,
  manual: `
1bc7 | 0021 | at 0, second 6 | Telit HE910, UE910
1546 | 1102 1104 1107 110a | at 0, second 2 4, nmea 6, unused 1 3 5 7 8 9 10 11 12 | u-blox LISA, SARA, LARA, TOBY
1546 | 1010 | at 6, second 2, diagnostic 4 | u-blox TOBY-L4
`,
}

/** One row of the table. */
export interface UsbLayout {
  readonly name: string
  /** `19d2:0001` */
  readonly ids: readonly string[]
  readonly ports: readonly { readonly role: UsbPortRole; readonly interfaceNumber: number }[]
  readonly source: UsbSource
}

const roles: Readonly<Record<string, UsbPortRole>> = {
  at: 'at',
  second: 'at-secondary',
  ppp: 'ppp',
  nmea: 'nmea',
  diagnostic: 'diagnostic',
  audio: 'audio',
  unused: 'diagnostic',
}

export const usbLayouts: readonly UsbLayout[] = Object.entries(tables).flatMap(([source, table]) =>
  table
    .trim()
    .split('\n')
    .map((row) => layoutIn(row, source as UsbSource)),
)

export const layoutRules: readonly UsbRule[] = usbLayouts.flatMap(({ ids, ports, source }) =>
  ports.map((port) => ({ ids, ...port, source })),
)

function layoutIn(row: string, source: UsbSource): UsbLayout {
  const [vendor = '', products = '', ports = '', name = ''] = row.split(' | ')
  return {
    name,
    ids: products.split(' ').map((product) => `${vendor}:${product}`),
    ports: ports.split(', ').flatMap((port) => {
      const [word = '', ...numbers] = port.split(' ')
      const role = roles[word]
      if (role === undefined) throw new Error(`unknown port in the row: ${row}`)
      return numbers.map((number) => ({ role, interfaceNumber: Number(number) }))
    }),
    source,
  }
}
