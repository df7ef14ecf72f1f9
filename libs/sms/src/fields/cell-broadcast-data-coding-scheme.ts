/** The data coding scheme of cell broadcast and USSD, which differs from the data coding scheme of SMS (23.038 §5). */
export interface CellBroadcastDataCodingScheme {
  readonly octet: number
  readonly group: CellBroadcastCodingGroup
  readonly alphabet: 'gsm7' | 'octets' | 'ucs2'
  /**
   * ISO 639; undefined if the scheme contains no language, or if the message itself contains the language
   * (`language-preceded`).
   */
  readonly language: string | undefined
  readonly compressed: boolean
  readonly messageClass: 0 | 1 | 2 | 3 | undefined
}

export type CellBroadcastCodingGroup =
  | 'language'
  /** The text starts with its language: two letters and CR in GSM 7 bit, or two packed septets before UCS-2. */
  | 'language-preceded'
  | 'general'
  | 'user-data-header'
  | 'data-coding'
  /** Octets defined by other standards: 3GPP TS 24.294 and the WAP Forum. */
  | 'i1-protocol'
  | 'wap'
  | 'reserved'

export function decodeCellBroadcastDataCodingScheme(octet: number): CellBroadcastDataCodingScheme {
  const low = octet & 0x0f
  switch ((octet >> 4) & 0x0f) {
    case 0x0:
      return { ...plain(octet, 'language'), language: languagesOfGroup0[low] }
    case 0x1:
      if (low > 1) return plain(octet, 'reserved')
      return { ...plain(octet, 'language-preceded'), alphabet: low === 0 ? 'gsm7' : 'ucs2' }
    case 0x2:
      return low < languagesOfGroup2.length
        ? { ...plain(octet, 'language'), language: languagesOfGroup2[low] }
        : plain(octet, 'reserved')
    case 0x4:
    case 0x5:
    case 0x6:
    case 0x7:
      return {
        ...plain(octet, 'general'),
        alphabet: alphabetOfBits(octet),
        compressed: (octet & 0x20) !== 0,
        messageClass: (octet & 0x10) === 0 ? undefined : classOfBits(octet),
      }
    case 0x9:
      return { ...plain(octet, 'user-data-header'), alphabet: alphabetOfBits(octet), messageClass: classOfBits(octet) }
    case 0xd:
      return { ...plain(octet, 'i1-protocol'), alphabet: 'octets' }
    case 0xe:
      return { ...plain(octet, 'wap'), alphabet: 'octets' }
    case 0xf:
      // In this group, 00 means "no message class", unlike in the general group.
      return {
        ...plain(octet, 'data-coding'),
        alphabet: (octet & 0x04) === 0 ? 'gsm7' : 'octets',
        messageClass: (octet & 0x03) === 0 ? undefined : classOfBits(octet),
      }
    default:
      return plain(octet, 'reserved')
  }
}

const languagesOfGroup0 = 'de en it fr es nl sv da pt fi no el tr hu pl'.split(' ')
const languagesOfGroup2 = 'cs he ar ru is'.split(' ')

/** Reserved values decode as the GSM 7 bit default alphabet. */
function plain(octet: number, group: CellBroadcastCodingGroup): CellBroadcastDataCodingScheme {
  return { octet, group, alphabet: 'gsm7', language: undefined, compressed: false, messageClass: undefined }
}

function alphabetOfBits(octet: number): 'gsm7' | 'octets' | 'ucs2' {
  const bits = (octet >> 2) & 0x03
  return bits === 1 ? 'octets' : bits === 2 ? 'ucs2' : 'gsm7'
}

function classOfBits(octet: number): 0 | 1 | 2 | 3 {
  return (octet & 0x03) as 0 | 1 | 2 | 3
}
