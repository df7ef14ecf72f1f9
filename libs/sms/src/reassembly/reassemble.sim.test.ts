import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, addressFromText } from '../fields/address.ts'
import { timeStampFromEpochMs } from '../fields/time-stamp.ts'
import { concatenationOf } from '../fields/user-data-header.ts'
import { type SegmentOptions, segment } from '../segmentation/segment.ts'
import {
  defaultReassemblyLimits,
  emptyReassembly,
  nextReassembly,
  type ReassemblyEffect,
  type ReassemblyInput,
  type ReassemblyLimits,
  type ReassemblyState,
} from './reassemble.ts'

const DAY = 24 * 3_600_000
const EPOCH = Date.UTC(2026, 2, 1)

interface Sent {
  readonly text: string
  readonly sim: string
  readonly sender: Address
  readonly sentMs: number
  readonly options: SegmentOptions
  /** The time between two parts of the message at the service centre. */
  readonly paceMs: number
}

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abc €[]Δ'), minLength: 161, maxLength: 700 }),
  fc.string({ unit: fc.constantFrom('я', '😀', 'e\u0301', 'ж'), minLength: 71, maxLength: 300 }),
)

/**
 * Messages from few senders with few references, so that the same key is used again. Between two messages with the same
 * key there are always at least two days.
 */
const conversations: fc.Arbitrary<readonly Sent[]> = fc
  .array(
    fc.record({
      text: texts,
      sim: fc.constantFrom('sim 1', 'sim 2'),
      sender: fc.constantFrom('+447700900123', '447700900123', 'Bank').map(addressFromText),
      options: fc.record({ reference: fc.nat(1), referenceWidth: fc.constantFrom(8, 16) }),
      paceMs: fc.nat(20_000),
      second: fc.nat(86_399),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((written) => written.map(({ second, ...sent }, i) => ({ ...sent, sentMs: EPOCH + 3 * i * DAY + second * 1000 })))

function partsOf({ text, sim, sender, sentMs, options, paceMs }: Sent, name: string): readonly ReassemblyInput[] {
  const { parts, dataCodingScheme } = segment(text, options)
  return parts.map((userData, index) => ({
    kind: 'part-arrived',
    partId: `${name}/${index + 1}`,
    sim,
    sender,
    concatenation: concatenationOf(userData.header)!,
    userData,
    dataCodingScheme,
    protocolIdentifier: 0,
    serviceCentreTimeStamp: timeStampFromEpochMs(sentMs + index * paceMs, 8),
    atMs: 0,
  }))
}

/** The parts in any order, some of them twice. One part arrives each second. */
const deliveries = conversations.chain((sent) => {
  const parts = sent.flatMap((message, index) => partsOf(message, `${index}`))
  return fc
    .tuple(fc.shuffledSubarray(parts, { minLength: parts.length }), fc.array(fc.nat(10_000), { maxLength: 8 }))
    .map(([order, copies]) => ({ sent, inputs: dated(withCopies(order, copies)) }))
})

function withCopies(order: readonly ReassemblyInput[], copies: readonly number[]): readonly ReassemblyInput[] {
  return copies.reduce<readonly ReassemblyInput[]>((inputs, random, n) => {
    const original = inputs[random % inputs.length]!
    if (original.kind !== 'part-arrived') return inputs
    const copy = { ...original, partId: `${original.partId} copy ${n}` }
    return inputs.toSpliced((random * 7919) % (inputs.length + 1), 0, copy)
  }, order)
}

function dated(inputs: readonly ReassemblyInput[]): readonly ReassemblyInput[] {
  return inputs.map((input, index) => ({ ...input, atMs: EPOCH + 30 * DAY + index * 1000 }) as ReassemblyInput)
}

function run(inputs: readonly ReassemblyInput[], limits: Partial<ReassemblyLimits> = {}) {
  let state: ReassemblyState = emptyReassembly
  const effects: ReassemblyEffect[] = []
  for (const input of inputs) {
    const step = nextReassembly(state, input, { ...defaultReassemblyLimits, ...limits })
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects }
}

const completedOf = (effects: readonly ReassemblyEffect[]) => effects.filter((e) => e.kind === 'message-completed')
const endOf = (inputs: readonly ReassemblyInput[]): ReassemblyInput => ({
  kind: 'clock-ticked',
  nowMs: Math.max(...inputs.map((input) => (input.kind === 'part-arrived' ? input.atMs : 0))) + DAY,
})
const originalOf = (partId: string) => partId.replace(/ copy.*/, '')

describe('with any order, copies and other messages in between', () => {
  test('announces every message exactly once, complete, and nothing else', () => {
    fc.assert(
      fc.property(deliveries, ({ sent, inputs }) => {
        const { effects, state } = run([...inputs, endOf(inputs)])
        const announced = completedOf(effects)
        expect(announced.map(({ message }) => message.text).toSorted()).toEqual(sent.map(({ text }) => text).toSorted())
        expect(new Set(announced.map(({ groupId }) => groupId)).size).toBe(sent.length)
        expect(effects.filter(({ kind }) => kind === 'partial-released')).toEqual([])
        expect(state.groups.every(({ phase }) => phase === 'complete')).toBe(true)
      }),
    )
  })

  test('reports every copy together with its original', () => {
    fc.assert(
      fc.property(deliveries, ({ inputs }) => {
        const copies = run(inputs).effects.flatMap((effect) => (effect.kind === 'part-duplicated' ? [effect] : []))
        for (const { partId, originalPartId } of copies) expect(originalOf(partId)).toBe(originalOf(originalPartId))
        expect(copies).toHaveLength(inputs.length - new Set(inputs.map((i) => originalOf(partIdOf(i)))).size)
      }),
    )
  })

  test('gives a message the same id in every order', () => {
    fc.assert(
      fc.property(deliveries, fc.func(fc.integer()), ({ inputs }, random) => {
        const other = dated(inputs.toSorted((a, b) => random(partIdOf(a)) - random(partIdOf(b))))
        const idsOf = (of: readonly ReassemblyInput[]) =>
          new Map(completedOf(run(of).effects).map(({ partIds, groupId }) => [partIds.map(originalOf).join(), groupId]))
        expect(idsOf(other)).toEqual(idsOf(inputs))
      }),
    )
  })

  test('keeps the id of a partial message when the rest arrives', () => {
    fc.assert(
      fc.property(deliveries, fc.nat(), ({ inputs, sent }, cut) => {
        const early = inputs.slice(0, 1 + (cut % inputs.length))
        const late = inputs
          .slice(early.length)
          .map((input) => ({ ...input, atMs: EPOCH + 33 * DAY }) as ReassemblyInput)
        const { effects } = run([...early, endOf(early), ...late])
        const partials = effects.filter((effect) => effect.kind === 'partial-released')
        const completed = completedOf(effects)
        expect(completed).toHaveLength(sent.length)
        for (const { groupId, partIds } of partials) {
          const whole = completed.find((message) => message.groupId === groupId)
          expect(whole?.wasReleased).toBe(true)
          expect(whole?.partIds).toEqual(expect.arrayContaining([...partIds]))
        }
        expect(completed.filter(({ wasReleased }) => wasReleased)).toHaveLength(partials.length)
      }),
    )
  })

  test('can store and load the state as JSON at any point', () => {
    fc.assert(
      fc.property(deliveries, fc.nat(), ({ inputs }, cut) => {
        const at = cut % inputs.length
        const { state } = run(inputs.slice(0, at))
        const restored = JSON.parse(JSON.stringify(state)) as ReassemblyState
        expect(restored).toEqual(state)
        const rest = inputs.slice(at)
        const go = (from: ReassemblyState) => rest.reduce((held, input) => nextReassembly(held, input).state, from)
        expect(go(restored)).toEqual(go(state))
      }),
    )
  })

  test('never changes a state in place', () => {
    fc.assert(
      fc.property(deliveries, ({ inputs }) => {
        let state: ReassemblyState = emptyReassembly
        for (const input of inputs) {
          const before = JSON.stringify(state)
          const step = nextReassembly(state, input)
          expect(JSON.stringify(state)).toBe(before)
          state = step.state
        }
      }),
    )
  })
})

describe('with little memory', () => {
  const limits = { maxGroups: 3, maxParts: 5 }

  test('keeps the limits at every step', () => {
    fc.assert(
      fc.property(deliveries, ({ inputs }) => {
        let state: ReassemblyState = emptyReassembly
        for (const input of inputs) {
          state = nextReassembly(state, input, { ...defaultReassemblyLimits, ...limits }).state
          const held = state.groups.flatMap(({ parts }) => parts)
          expect(state.groups.length).toBeLessThanOrEqual(limits.maxGroups)
          expect(held.length).toBeLessThanOrEqual(limits.maxParts)
        }
      }),
    )
  })

  test('announces every part, in a complete or partial message or as a copy', () => {
    fc.assert(
      fc.property(deliveries, ({ inputs }) => {
        const { effects } = run([...inputs, endOf(inputs)], limits)
        const accounted = effects.flatMap((e) => (e.kind === 'part-duplicated' ? [e.partId] : e.partIds))
        expect(new Set(accounted)).toEqual(new Set(inputs.map(partIdOf)))
      }),
    )
  })
})

/** Parts from a flooding sender, mostly of incomplete messages, and ticks, some of them hours apart. */
const disturbed = deliveries.chain(({ sent, inputs }) =>
  fc
    .array(
      fc.record({
        reference: fc.nat(40),
        sequence: fc.constantFrom(1, 2, 3),
        text: fc.constantFrom('a', 'b', 'c'),
        sentMs: fc.nat(2 * DAY),
        at: fc.nat(1000),
      }),
      { minLength: 30, maxLength: 120 },
    )
    .map((hostile) => ({ sent, inputs: ticking(hostile.reduce(withHostile, inputs)) })),
)

interface Hostile {
  readonly reference: number
  readonly sequence: number
  readonly text: string
  readonly sentMs: number
  readonly at: number
}

function withHostile(inputs: readonly ReassemblyInput[], hostile: Hostile, n: number): readonly ReassemblyInput[] {
  const { reference, sequence, text, sentMs, at } = hostile
  const [like] = partsOf({ text, ...STRANGER, sentMs: EPOCH + sentMs, options: { reference } }, `hostile ${n}`)
  if (like?.kind !== 'part-arrived') throw new Error('not a part')
  const concatenation = { width: 8, reference, total: 3, sequence } as const
  return inputs.toSpliced(at % (inputs.length + 1), 0, { ...like, concatenation })
}

function ticking(inputs: readonly ReassemblyInput[]): readonly ReassemblyInput[] {
  let atMs = EPOCH + 30 * DAY
  return inputs.flatMap((input, i): readonly ReassemblyInput[] => {
    atMs += i % 9 === 8 ? 3_600_000 : 1000
    return [
      { ...input, atMs } as ReassemblyInput,
      { kind: 'clock-ticked', nowMs: atMs + (i % 5 === 4 ? 3_600_000 : 0) },
    ]
  })
}

describe('with a flooding sender and ticks', () => {
  const limits = { maxGroups: 24, maxParts: 260, maxRememberedIds: 8, maxIncompleteOfKey: 3 }
  const isHostile = ({ sender }: { readonly sender: Address }) => sender.value === STRANGER.sender.value

  test('announces every message of other senders once, complete and unmixed', () => {
    fc.assert(
      fc.property(disturbed, ({ sent, inputs }) => {
        const { effects } = run([...inputs, endOf(inputs)], limits)
        const own = completedOf(effects).filter((message) => !isHostile(message))
        expect(own.map(({ message }) => message.text).toSorted()).toEqual(sent.map(({ text }) => text).toSorted())
      }),
    )
  })

  test('includes all earlier parts in each announcement of an id, and announces nothing after the complete message', () => {
    fc.assert(
      fc.property(disturbed, ({ inputs }) => {
        const announced = new Map<string, readonly string[]>()
        const whole = new Set<string>()
        for (const effect of run([...inputs, endOf(inputs)], limits).effects) {
          if (effect.kind === 'part-duplicated') continue
          expect(whole.has(effect.groupId)).toBe(false)
          expect(effect.partIds).toEqual(expect.arrayContaining([...(announced.get(effect.groupId) ?? [])]))
          announced.set(effect.groupId, effect.partIds)
          if (effect.kind === 'message-completed') whole.add(effect.groupId)
        }
      }),
    )
  })

  test('announces every part, in a complete or partial message or as a copy', () => {
    fc.assert(
      fc.property(disturbed, ({ inputs }) => {
        const { effects } = run([...inputs, endOf(inputs)], limits)
        const accounted = effects.flatMap((e) => (e.kind === 'part-duplicated' ? [e.partId] : e.partIds))
        // Sorts, because comparing sets takes quadratic time.
        const parts = [...new Set(inputs.filter(isPart).map(partIdOf))]
        expect([...new Set(accounted)].toSorted()).toEqual(parts.toSorted())
      }),
    )
  })

  test('rebuilds a state from the inputs without the ticks that changed nothing', () => {
    fc.assert(
      fc.property(disturbed, ({ inputs }) => {
        let state: ReassemblyState = emptyReassembly
        const kept = inputs.filter((input) => {
          const before = state
          state = nextReassembly(state, input, { ...defaultReassemblyLimits, ...limits }).state
          return input.kind === 'part-arrived' || state !== before
        })
        expect(run(kept, limits)).toEqual(run(inputs, limits))
        expect(JSON.parse(JSON.stringify(state))).toEqual(state)
      }),
    )
  })
})

const STRANGER = { sim: 'sim 1', sender: addressFromText('+447700900666'), paceMs: 0 }

function isPart({ kind }: ReassemblyInput): boolean {
  return kind === 'part-arrived'
}

function partIdOf(input: ReassemblyInput): string {
  return input.kind === 'part-arrived' ? input.partId : ''
}
