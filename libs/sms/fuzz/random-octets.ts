import { joinOctets, octetsFromHex } from '../src/octets.ts'
import type { FuzzRandom } from './random.ts'
import { readVectorFiles } from './read-vectors.ts'

/** Random octets usually fail in the first field, so four of five inputs are vectors with a few errors. */
export function randomOctets(random: FuzzRandom): Uint8Array {
  if (random.once(5)) return random.octets(random.below(random.once(20) ? 600 : 60))
  let octets = random.oneOf(seeds)
  for (let changes = random.between(0, 4); changes > 0; changes--) octets = random.oneOf(mutations)(octets, random)
  return octets
}

const seeds: readonly Uint8Array[] = readVectorFiles()
  .flatMap((file) => file.vectors)
  .flatMap(({ pdu, octets }) => [pdu, octets])
  .filter((hex) => hex !== undefined && /^([0-9A-F]{2})+$/.test(hex))
  .map((hex) => octetsFromHex(hex ?? ''))

type Mutation = (octets: Uint8Array, random: FuzzRandom) => Uint8Array

const mutations: readonly Mutation[] = [
  flipBit,
  replaceOctet,
  replaceOctet,
  insertOctets,
  removeOctets,
  cut,
  repeatSlice,
  crossOver,
  appendOctets,
]

/** Typical values of lengths, markers and range limits. */
const tellingOctets: readonly number[] = [0x00, 0x01, 0x07, 0x1b, 0x1e, 0x1f, 0x20, 0x7f, 0x80, 0x8c, 0xa0, 0xf0, 0xff]

function flipBit(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const at = random.below(octets.length + 1)
  const octet = octets[at]
  return octet === undefined ? octets : octets.with(at, octet ^ (1 << random.below(8)))
}

function replaceOctet(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const at = random.below(octets.length + 1)
  const value = random.once(2) ? random.oneOf(tellingOctets) : random.below(256)
  return at < octets.length ? octets.with(at, value) : octets
}

function insertOctets(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const at = random.below(octets.length + 1)
  return joinOctets([octets.subarray(0, at), random.octets(random.between(1, 4)), octets.subarray(at)])
}

function removeOctets(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const at = random.below(octets.length + 1)
  return joinOctets([octets.subarray(0, at), octets.subarray(at + random.between(1, 4))])
}

function cut(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  return octets.slice(0, random.below(octets.length + 1))
}

function repeatSlice(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const start = random.below(octets.length + 1)
  const slice = octets.subarray(start, start + random.between(1, 20))
  const times = random.once(200) ? random.between(100, 1500) : random.between(1, 4)
  return joinOctets([octets.subarray(0, start), ...Array<Uint8Array>(times).fill(slice), octets.subarray(start)])
}

function crossOver(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  const other = random.oneOf(seeds)
  return joinOctets([
    octets.subarray(0, random.below(octets.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ])
}

function appendOctets(octets: Uint8Array, random: FuzzRandom): Uint8Array {
  return joinOctets([octets, random.octets(random.between(1, 40))])
}
