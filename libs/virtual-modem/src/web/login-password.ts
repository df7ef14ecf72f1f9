/**
 * The password in a login (`password_type` 4). The browser sends a hash of the password, the username and the token of
 * the request, so that nobody can repeat the login with the same hash.
 */
export function loginPassword(user: string, password: string, token: string): string {
  const hashed = (text: string) => base64(hex(sha256(octetsOf(text))))
  return hashed(user + hashed(password) + token)
}

/** SHA-256 (FIPS 180-4). */
export function sha256(message: Uint8Array): Uint8Array {
  const { constants, initial } = tables
  const length = Math.ceil((message.length + 9) / 64) * 64
  const padded = new Uint8Array(length)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(length - 4, (message.length * 8) >>> 0)
  const state = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  for (let block = 0; block < length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(block + 4 * at)
    for (let at = 16; at < 64; at += 1) {
      const [a, b, c, d] = [words[at - 15] ?? 0, words[at - 2] ?? 0, words[at - 16] ?? 0, words[at - 7] ?? 0]
      words[at] = c + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + d + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10))
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let at = 0; at < 64; at += 1) {
      const choice = (e & f) ^ (~e & g)
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (constants[at] ?? 0) + (words[at] ?? 0)
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0]
    }
    for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + value
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [at, value] of state.entries()) digest.setUint32(4 * at, value)
  return new Uint8Array(digest.buffer)
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/**
 * The constants of SHA-256. `constants`: the cube roots of the first 64 prime numbers. `initial`: the square roots of
 * the first 8 prime numbers. Of each root, only the first 32 bits after the point are used.
 */
const tables = rootTables()

function rootTables(): { readonly constants: readonly number[]; readonly initial: readonly number[] } {
  const primes: number[] = []
  for (let number = 2; primes.length < 64; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32)
  return {
    constants: primes.map((prime) => fraction(Math.cbrt(prime))),
    initial: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  }
}

/** Passwords consist of ASCII characters. */
function octetsOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

function hex(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}

function base64(text: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let bits = ''
  for (const octet of octetsOf(text)) bits += octet.toString(2).padStart(8, '0')
  const letters = (bits.match(/.{1,6}/g) ?? []).map((six) => digits.charAt(Number.parseInt(six.padEnd(6, '0'), 2)))
  return letters.join('').padEnd(Math.ceil(letters.length / 4) * 4, '=')
}
