import { expect, test } from 'vitest'
import { ManualClock } from '../manual-clock.ts'
import { seededRandom } from '../random.ts'
import { ByteOutlet } from './byte-outlet.ts'

function outlet(chunking: 'random' | 'whole', seed = 1) {
  const clock = new ManualClock()
  const chunks: string[] = []
  const random = seededRandom(seed)
  const target = new ByteOutlet({
    clock,
    random,
    oneByOne: () => false,
    chunking,
    onBytes: (bytes) => chunks.push(String.fromCharCode(...bytes)),
  })
  return { clock, chunks, target }
}

test('whole: sends joined writes in one chunk', () => {
  const { chunks, target } = outlet('whole')
  target.together(() => {
    target.write('ab')
    target.write('cd')
  })
  target.write('e')
  expect(chunks).toEqual(['abcd', 'e'])
})

test('random: does not lose, repeat or reorder bytes', () => {
  for (let seed = 0; seed < 200; seed++) {
    const { clock, chunks, target } = outlet('random', seed)
    const lines = Array.from({ length: 20 }, (_, index) => `\r\nline ${index}\r\n`)
    for (const line of lines) {
      target.write(line)
      clock.advance(seed % 3)
    }
    clock.advance(1000)
    expect(chunks.join('')).toBe(lines.join(''))
  }
})

test('random: splits lines and merges them with the next lines', () => {
  const { clock, chunks, target } = outlet('random')
  for (let round = 0; round < 500; round++) target.write('\r\nOK\r\n')
  clock.advance(1000)
  expect(chunks.some((chunk) => chunk.length < 6)).toBe(true)
  expect(chunks.some((chunk) => /OK\r\n\r\nO/.test(chunk))).toBe(true)
})

test('appends output that the host causes while it reads', () => {
  const clock = new ManualClock()
  const random = seededRandom(5)
  let text = ''
  const target: ByteOutlet = new ByteOutlet({
    clock,
    random,
    oneByOne: () => true,
    chunking: 'random',
    onBytes: (bytes) => {
      text += String.fromCharCode(...bytes)
      if (text === 'a') target.write('XYZ')
    },
  })
  target.write('abc')
  clock.advance(1000)
  expect(text).toBe('abcXYZ')
})

test('drops delayed output when the port is lost', () => {
  for (let seed = 0; seed < 50; seed++) {
    const { clock, chunks, target } = outlet('random', seed)
    target.write('old text that may be held back')
    target.clear()
    target.write('NEW')
    clock.advance(1000)
    expect(chunks.join('')).toMatch(/NEW$/)
  }
})
