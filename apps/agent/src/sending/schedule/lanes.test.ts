import { beforeEach, expect, test } from 'vitest'
import { SenderFixture, sendCommand } from '../../testing/sender-fixture.ts'
import { defaultSendingSettings } from './sending-settings.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000

test('a SIM that loses and regains its network while its history is read has one lane', async () => {
  const pace = { ...defaultSendingSettings.pace, intervalMinMs: minute, intervalMaxMs: minute }
  world.sender.use({ ...defaultSendingSettings, pace })
  await world.accept(sendCommand('a'), sendCommand('b'), sendCommand('c'))
  const sim = world.sim(1)
  const ready = [world.sender.simReady(sim)]
  for (let time = 0; time < 5; time += 1) {
    world.sender.simLostNetwork(sim)
    ready.push(world.sender.simReady(sim))
  }
  await Promise.all(ready)
  await world.pass(30_000)
  expect(world.sent).toHaveLength(1)
})

test('keeps the pause between messages when a modem is set up repeatedly', async () => {
  const pace = { ...defaultSendingSettings.pace, intervalMinMs: minute, intervalMaxMs: minute }
  world.sender.use({ ...defaultSendingSettings, pace })
  await world.accept(...Array.from({ length: 10 }, (_, at) => sendCommand(`c${at}`)))
  for (let second = 0; second < 150; second += 1) {
    const sim = world.sim(1)
    const ready = world.sender.simReady(sim)
    await world.pass(1000)
    await ready
    world.sender.simGone(sim)
  }
  expect(world.sent).toHaveLength(3)
})

test('begins no second message when the network returns while the modem is sending a message', async () => {
  let submits = 0
  const sim = {
    ...world.sim(1),
    submit: () => {
      submits += 1
      return new Promise<never>(() => undefined)
    },
  }
  await world.sender.simReady(sim)
  await world.accept(sendCommand('a'), sendCommand('b'))
  world.sender.simLostNetwork(sim)
  await world.sender.simReady(sim)
  await world.pass(1000)
  expect(submits).toBe(1)
})

test('keeps messages for a SIM that briefly loses its network, and then passes them to another SIM', async () => {
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  await world.sender.simReady(world.sim(2))
  world.sender.simLostNetwork(sim)
  await world.accept(sendCommand('a'))
  await world.pass(5000)
  await world.sender.simReady(sim)
  await world.pass(100)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([1])
  world.sender.simLostNetwork(sim)
  await world.accept(sendCommand('b'))
  await world.pass(15_000)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([1, 2])
  await world.sender.simReady(sim)
  await world.accept(sendCommand('c'))
  await world.pass(100)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([1, 2, 1])
})

test('sends through other SIMs while a SIM without a network is being added', async () => {
  await world.sender.simReady(world.sim(2))
  const sim = world.sim(1)
  const ready = world.sender.simReady(sim)
  world.sender.simLostNetwork(sim)
  await ready
  await world.accept(sendCommand('a'))
  await world.pass(100)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([2])
})

test('sends through a moved card in its new modem, no matter when the old modem reports that the card is gone', async () => {
  const before = world.sim(1)
  const now = { ...world.sim(2), iccid: before.iccid }
  await world.sender.simReady(before)
  await world.sender.simReady(now)
  world.sender.simLostNetwork(before)
  world.sender.simGone(before)
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([2])
})

test('keeps the pause between messages when the network is lost and regained', async () => {
  const pace = { ...defaultSendingSettings.pace, intervalMinMs: minute, intervalMaxMs: minute }
  world.sender.use({ ...defaultSendingSettings, pace })
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  await world.accept(...Array.from({ length: 10 }, (_, at) => sendCommand(`c${at}`)))
  for (let second = 0; second < 150; second += 1) {
    world.sender.simLostNetwork(sim)
    await world.pass(500)
    const ready = world.sender.simReady(sim)
    await world.pass(500)
    await ready
  }
  expect(world.sent).toHaveLength(3)
})
