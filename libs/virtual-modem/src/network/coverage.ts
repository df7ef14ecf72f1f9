/** The network at the location of a modem. */
export interface Coverage {
  readonly stat: RegistrationStat
  readonly technology: RadioTechnology
  readonly operator: NetworkOperator
  /** -113 (weakest) to -51 (strongest); undefined while it is unknown, for example right after the start. */
  readonly signalDbm: number | undefined
  /** RXQUAL 0 to 7; 99: unknown. */
  readonly bitErrorRate: number
  readonly areaCode: number
  readonly cellId: number
}

/**
 * 27.007 §7.2 `<stat>`: 0 not searching, 1 home, 2 searching, 3 denied, 4 unknown, 5 roaming, 6 home for SMS only,
 * 7 roaming for SMS only, 8 emergency only, 11 emergency only in an older numbering.
 */
export type RegistrationStat = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 11

export type RadioTechnology = 'gsm' | 'edge' | 'umts' | 'hspa' | 'lte' | 'nr'

export interface NetworkOperator {
  readonly name: string
  readonly shortName: string
  /** MCC and MNC. */
  readonly numeric: string
}

export function isRegistered(stat: RegistrationStat): boolean {
  return stat === 1 || stat === 5 || stat === 6 || stat === 7
}
