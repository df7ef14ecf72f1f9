/** The service that a message belongs to. 23.040 §9.2.3.9 */
export type ProtocolIdentifier = { readonly octet: number } & (
  | {
      readonly kind: 'plain'
      /** Bits 4..0: the protocol between the two SMEs; 0 stands for an ordinary message without a protocol. */
      readonly protocol: number
    }
  | { readonly kind: 'telematic'; readonly device: string }
  /** Short Message Type 0: the phone acknowledges the message, but neither shows nor stores it. */
  | { readonly kind: 'silent' }
  /** Replaces an earlier message of the same `number` (1 to 7) from the same address and service centre. */
  | { readonly kind: 'replace'; readonly number: ReplaceNumber }
  | { readonly kind: SpecialKind }
  /** Handled like an ordinary message. */
  | { readonly kind: 'reserved' }
  | { readonly kind: 'service-centre-specific' }
)

export type ReplaceNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7

export type SpecialKind =
  | 'device-triggering'
  | 'enhanced-message-service'
  | 'return-call'
  | 'ansi-136-r-data'
  | 'me-data-download'
  | 'me-depersonalization'
  | 'sim-data-download'

export function decodeProtocolIdentifier(octet: number): ProtocolIdentifier {
  const group = octet >> 6
  if (group === 0b00 && (octet & 0x20) === 0) return { octet, kind: 'plain', protocol: octet & 0x1f }
  if (group === 0b00) return { octet, kind: 'telematic', device: deviceOf(octet & 0x1f) }
  if (group === 0b10) return { octet, kind: 'reserved' }
  if (group === 0b11) return { octet, kind: 'service-centre-specific' }
  if (octet === 0x40) return { octet, kind: 'silent' }
  if (octet <= 0x47) return { octet, kind: 'replace', number: (octet & 0b111) as ReplaceNumber }
  return { octet, kind: SPECIAL_KINDS.get(octet) ?? 'reserved' }
}

const SPECIAL_KINDS: ReadonlyMap<number, SpecialKind> = new Map([
  [0x48, 'device-triggering'],
  [0x5e, 'enhanced-message-service'],
  [0x5f, 'return-call'],
  [0x7c, 'ansi-136-r-data'],
  [0x7d, 'me-data-download'],
  [0x7e, 'me-depersonalization'],
  [0x7f, 'sim-data-download'],
])

const DEVICES: ReadonlyMap<number, string> = new Map([
  [0x00, 'implicit'],
  [0x01, 'telex'],
  [0x02, 'group 3 telefax'],
  [0x03, 'group 4 telefax'],
  [0x04, 'voice telephone'],
  [0x05, 'ERMES'],
  [0x06, 'national paging system'],
  [0x07, 'videotex'],
  [0x08, 'teletex, carrier unspecified'],
  [0x09, 'teletex, in PSPDN'],
  [0x0a, 'teletex, in CSPDN'],
  [0x0b, 'teletex, in analog PSTN'],
  [0x0c, 'teletex, in digital ISDN'],
  [0x0d, 'UCI'],
  [0x10, 'message handling facility'],
  [0x11, 'X.400 message handling system'],
  [0x12, 'Internet electronic mail'],
  [0x1f, 'GSM/UMTS mobile station'],
])

function deviceOf(bits: number): string {
  return DEVICES.get(bits) ?? (bits >= 0x18 ? 'specific to the service centre' : 'reserved')
}
