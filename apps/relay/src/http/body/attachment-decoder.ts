import { randomUUID } from 'node:crypto'
import type { AttachmentOctets } from '@smsgw/contract/messages/mms'
import { ApiError } from '../errors/api-error.ts'
import { OctetPieces, TextPieces, textOfOctets } from './octet-pieces.ts'

/**
 * An upload of 500 messages with three attachments each has 40 000 values. A parsed value takes up to 60 bytes of
 * memory.
 */
const MOST_VALUES = 200_000
/** The names of members are strings too. */
const MOST_STRINGS = 3 * MOST_VALUES
/**
 * The largest number of escapes in a body, because an escape takes longer to decode than a digit. A picture of 8 MiB
 * has 175 000 escapes if its encoder writes `\/`.
 */
const MOST_ESCAPES = 400_000

/** Shorter texts stay in the body. The fingerprint of a request hashes longer texts separately. */
const LONG_TEXT = 64 * 1024

/**
 * Takes the data of attachments out of a JSON body while it arrives, and decodes it, so that a body with a picture of 1
 * MiB needs 1 MiB of memory. A text is decoded if it is the value of a member `data`, has at least 64 Ki digits, and is
 * base64 with padding and without line breaks. An encrypted text, which begins with `$`, is collected as it is. In the
 * rest of the body, the text is replaced with a placeholder that nobody can guess.
 *
 * Everything else is copied, so that `JSON.parse` of the rest accepts and refuses the same bodies. The states:
 *
 * - `outside`: between strings. Remembers whether the last string was the name `data` and a colon followed.
 * - `string`: in a string that is copied. `escape`: in such a string, after a backslash.
 * - `data`, `data-escape`: the same in a string that is decoded. A string that is not base64 after all is encoded
 * again, which gives the same text, and continues in `string`.
 */
export class AttachmentDecoder {
  readonly #least: number
  readonly #placeholder = `${randomUUID()}:`
  readonly #rest = new GrowingBuffer()
  readonly #decoded: AttachmentOctets[] = []
  #state: 'outside' | 'string' | 'escape' | 'data' | 'data-escape' = 'outside'
  /** The last byte outside of strings that is not white space, or the closing quote of a string. */
  #last = 0
  /** The first characters of the last string. */
  #name = ''
  #octets = new OctetPieces()
  #padding = ''
  /** Collects an encrypted text in `data`; undefined for base64. */
  #encrypted: TextPieces | undefined
  /** The characters of an unfinished escape in `data`. */
  #escape = ''
  #values = 0
  #strings = 0
  #escapes = 0

  constructor(least = LONG_TEXT) {
    this.#least = least
  }

  /** Throws 413 if the body has too many values. */
  add(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) at = this.#step(chunk, at)
    if (this.#values > MOST_VALUES || this.#strings > MOST_STRINGS)
      throw new ApiError(413, `The body has more than ${MOST_VALUES} values: send a body with fewer values`)
  }

  /** Returns the body with placeholders. */
  end(): Buffer {
    if (this.#state === 'data' || this.#state === 'data-escape') this.#continueAsString(this.#escape)
    return this.#rest.content()
  }

  get hasDecoded(): boolean {
    return this.#decoded.length > 0
  }

  /**
   * Replaces the placeholders in the parsed body. Attachments, which have a content type, get octets. All other members
   * get their text.
   */
  restore(body: unknown): void {
    if (!this.hasDecoded) return
    // Uses a list, not recursion, because a hostile body may be nested deeper than the stack allows.
    const waiting = [body]
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (typeof value !== 'object' || value === null) continue
      for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) waiting.push(inner)
      const holder = value as { data?: unknown; readonly contentType?: unknown }
      const octets = Array.isArray(value) || !Object.hasOwn(value, 'data') ? undefined : this.#octetsOf(holder.data)
      if (octets === undefined) continue
      holder.data = Object.hasOwn(value, 'contentType') ? octets : textOfOctets(octets)
    }
  }

  #octetsOf(value: unknown): AttachmentOctets | undefined {
    if (typeof value !== 'string' || !value.startsWith(this.#placeholder)) return undefined
    return this.#decoded[Number(value.slice(this.#placeholder.length))]
  }

  /** Handles the bytes from `at` to the next change of the state, and returns their end. */
  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'outside':
        return this.#outside(chunk, at)
      case 'escape':
        this.#copy(chunk, at, at + 1)
        this.#state = 'string'
        return at + 1
      case 'string':
        return this.#string(chunk, at)
      case 'data':
        return this.#data(chunk, at)
      case 'data-escape':
        return this.#dataEscape(chunk, at)
    }
  }

  #outside(chunk: Buffer, from: number): number {
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === QUOTE) break
      if (byte === COMMA || byte === BRACKET || byte === BRACE) this.#values += 1
      if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) this.#last = byte
    }
    if (at === chunk.length) {
      this.#rest.add(chunk.subarray(from, at))
      return at
    }
    this.#rest.add(chunk.subarray(from, at + 1))
    const isData = this.#last === COLON && this.#name === 'data'
    this.#state = isData ? 'data' : 'string'
    this.#name = ''
    this.#strings += 1
    if (isData) {
      this.#octets = new OctetPieces()
      this.#padding = ''
      this.#encrypted = undefined
    }
    return at + 1
  }

  #copy(chunk: Buffer, from: number, end: number): void {
    if (this.#name.length < NAME_LENGTH) this.#name += chunk.toString('latin1', from, Math.min(end, from + NAME_LENGTH))
    this.#rest.add(chunk.subarray(from, end))
  }

  #string(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && chunk[at] !== QUOTE) at += chunk[at] === BACKSLASH ? 2 : 1
    if (at > chunk.length) this.#state = 'escape'
    const end = Math.min(at, chunk.length)
    this.#copy(chunk, from, end)
    return at < chunk.length ? this.#closeString(end) : end
  }

  #data(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1
    if (at > from) this.#addDigits(chunk.toString('latin1', from, at))
    if (at === chunk.length) return at
    // A string that is no longer decoded continues at its quote or backslash.
    if (this.#state !== 'data') return at
    if (chunk[at] === QUOTE) return this.#closeString(at)
    this.#escape = '\\'
    this.#state = 'data-escape'
    this.#escapes += 1
    return at + 1
  }

  /** Encoders write the digit `/` as `\/`, and the padding as `\u003d`. */
  #dataEscape(chunk: Buffer, at: number): number {
    const char = String.fromCharCode(chunk[at] as number)
    const isUnicode = this.#escape.startsWith('\\u')
    if (isUnicode && !/[0-9a-f]/i.test(char)) {
      // Invalid JSON. The character may be the end of the string.
      this.#continueAsString(this.#escape)
      return at
    }
    this.#escape += char
    if (this.#escape === '\\u' || (isUnicode && this.#escape.length < '\\u003d'.length)) return at + 1
    const written = this.#escape
    if ((!isUnicode && char !== '/') || this.#escapes > MOST_ESCAPES) this.#continueAsString(written)
    else {
      const meant = isUnicode ? String.fromCharCode(Number.parseInt(written.slice(2), 16)) : '/'
      this.#escape = ''
      this.#state = 'data'
      this.#addDigits(meant, written)
    }
    return at + 1
  }

  /** @param written `text` as it is written in the body, where its characters may be escaped */
  #addDigits(text: string, written = text): void {
    const isFirst = this.#octets.digits === 0 && this.#padding === ''
    if (isFirst && text.startsWith('$')) this.#encrypted ??= new TextPieces()
    if (this.#encrypted !== undefined) this.#addEncrypted(this.#encrypted, text, written)
    else this.#addBase64(text, written)
  }

  #addBase64(text: string, written: string): void {
    const digits = this.#padding === '' ? (/^[A-Za-z0-9+/]*/.exec(text)?.[0] ?? '') : ''
    if (digits !== '') this.#octets.add(digits)
    const rest = text.slice(digits.length)
    if (rest === '') return
    if (/^={1,2}$/.test(this.#padding + rest)) this.#padding += rest
    else this.#continueAsString(digits === '' ? written : rest)
  }

  #addEncrypted(collector: TextPieces, text: string, written: string): void {
    const characters = /^[A-Za-z0-9+/=$.,:_-]*/.exec(text)?.[0] ?? ''
    if (characters !== '') collector.add(characters)
    const rest = text.slice(characters.length)
    if (rest !== '') this.#continueAsString(characters === '' ? written : rest)
  }

  #closeString(at: number): number {
    const octets = this.#state === 'data' ? this.#octetsAtEnd() : undefined
    if (octets !== undefined) {
      this.#rest.add(Buffer.from(`${this.#placeholder}${this.#decoded.push(octets) - 1}`, 'latin1'))
      this.#octets = new OctetPieces()
      this.#encrypted = undefined
    } else if (this.#state === 'data') this.#continueAsString('')
    this.#rest.add(QUOTES)
    this.#state = 'outside'
    this.#last = QUOTE
    return at + 1
  }

  #octetsAtEnd(): AttachmentOctets | undefined {
    const encrypted = this.#encrypted?.end()
    if (encrypted !== undefined) return encrypted.size < this.#least ? undefined : encrypted
    const digits = this.#octets.digits + this.#padding.length
    return digits < this.#least || digits % 4 !== 0 ? undefined : this.#octets.end(this.#padding)
  }

  /** Copies the decoded text and the characters after it. */
  #continueAsString(following: string): void {
    for (const text of (this.#encrypted ?? this.#octets).text()) this.#rest.add(Buffer.from(text, 'latin1'))
    this.#rest.add(Buffer.from(this.#padding + following, 'latin1'))
    this.#octets = new OctetPieces()
    this.#encrypted = undefined
    this.#escape = ''
    this.#state = 'string'
  }
}

/** Joins pieces without keeping the buffers that they are parts of. */
class GrowingBuffer {
  #bytes = Buffer.allocUnsafeSlow(4096)
  #length = 0

  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#length)
    this.#length = length
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]
const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]
const [SPACE, LINE_FEED, RETURN, TAB] = [0x20, 0x0a, 0x0d, 0x09]
const QUOTES = Buffer.from('"')
/** One more than the length of `data`. */
const NAME_LENGTH = 5
