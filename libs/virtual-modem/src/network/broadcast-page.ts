import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import { packSeptets } from '@smsgw/sms/text/septets'
import { ucs2FromText } from '@smsgw/sms/text/ucs2'

/** Returns the pages of a cell broadcast, 88 octets each (23.041 §9.4.1.2). */
export function broadcastPages(
  text: string,
  options: { readonly messageIdentifier?: number; readonly serialNumber?: number },
): Uint8Array[] {
  const { messageIdentifier = 50, serialNumber = 0x0010 } = options
  const septets = septetsFromText(text)
  const contents = septets ? gsm7Contents(septets) : ucs2Contents(ucs2FromText(text))
  const pages = contents.slice(0, mostPages)
  return pages.map((content, index) => {
    const page = new Uint8Array(pageOctets)
    page[0] = serialNumber >> 8
    page[1] = serialNumber
    page[2] = messageIdentifier >> 8
    page[3] = messageIdentifier
    page[4] = septets ? gsm7Coding : ucs2Coding
    page[5] = ((index + 1) << 4) | pages.length
    page.set(content, headerOctets)
    return page
  })
}

const pageOctets = 88
const headerOctets = 6
const contentOctets = pageOctets - headerOctets
const septetsInPage = 93
const mostPages = 15
const gsm7Coding = 0x0f
const ucs2Coding = 0x48
const carriageReturn = 0x0d

function gsm7Contents(septets: Uint8Array): Uint8Array[] {
  return cut(septets, septetsInPage).map((part) => {
    const page = new Uint8Array(septetsInPage).fill(carriageReturn)
    page.set(part)
    return packSeptets(page)
  })
}

function ucs2Contents(octets: Uint8Array): Uint8Array[] {
  return cut(octets, contentOctets).map((part) => {
    const page = new Uint8Array(contentOctets)
    for (let at = 1; at < contentOctets; at += 2) page[at] = carriageReturn
    page.set(part)
    return page
  })
}

function cut(units: Uint8Array, length: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at === 0 || at < units.length; at += length) parts.push(units.subarray(at, at + length))
  return parts
}
