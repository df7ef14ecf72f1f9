import type { Emulator } from '../emulator.ts'
import { faultFromText } from '../fault-settings.ts'
import { firstProblem } from '../first-problem.ts'
import { allInstructions } from '../instructions/all-instructions.ts'
import { eventText } from '../network-events.ts'
import { timeOf } from '../report-lines.ts'
import { type TrafficLine, TrafficLines } from '../traffic-lines.ts'
import { type KeyboardState, type KeyEffect, keysOf, pressKey, watching } from './keyboard.ts'
import { drawScreen, type Scene } from './screen.ts'
import { Terminal } from './terminal.ts'

export interface View {
  close(): void
}

/** The full-screen view of a running emulator. */
export function startView(emulator: Emulator, quit: () => void): View {
  const { world, traffic, events } = emulator
  const lines: TrafficLine[] = []
  const joiner = new TrafficLines((line) => {
    lines.push(line)
    if (lines.length > MOST_LINES) lines.shift()
  })
  let keyboard: KeyboardState = watching
  let selected = 0
  let said = ''

  const draw = () => {
    joiner.flush()
    terminal.show(drawScreen(scene(), terminal.columns, terminal.rows))
  }
  const onKeys = (text: string) => {
    for (const key of keysOf(text)) {
      const result = pressKey(keyboard, key)
      keyboard = result.state
      if (result.effect) said = follow(result.effect)
    }
    draw()
  }
  const terminal = new Terminal(process.stdin, process.stdout, onKeys, () => draw())
  const stopListening = traffic.listen((record) => joiner.add(record))
  const timer = setInterval(draw, REDRAW_MS)
  draw()

  return {
    close() {
      clearInterval(timer)
      stopListening()
      terminal.restore()
    },
  }

  function scene(): Scene {
    const name = world.modems[selected]?.name
    return {
      modems: world.modems.map((modem) => ({
        name: modem.name,
        where: modem.ports.map((port) => `${port.address} → ${port.describe()}`).join('  '),
        state: modem.virtual.snapshot(),
      })),
      selected,
      network: world.network.snapshot(),
      traffic: lines.filter((line) => line.modem === name),
      events: events.recent().map(({ epochMs, event }) => `${timeOf(epochMs)} ${eventText(event)}`),
      status: statusOf(keyboard, said),
    }
  }

  /** Returns what to say about it. */
  function follow(effect: KeyEffect): string {
    const modem = world.modems[selected]?.name ?? ''
    switch (effect.kind) {
      case 'quit':
        quit()
        return 'ending'
      case 'next-modem':
        selected = (selected + 1) % world.modems.length
        return ''
      case 'reboot':
        return act('reboot', { modem })
      case 'toggle-plug':
        return act(world.modem(modem).virtual.snapshot().port === 'lost' ? 'plug' : 'unplug', { modem })
      case 'message':
        return act('send-text', { from: OUTSIDE_PHONE, to: modem, text: effect.text })
      case 'fault':
        return toggleFault(modem, effect.text)
    }
  }

  function toggleFault(modem: string, text: string): string {
    const [[fault = '', options] = []] = Object.entries(faultFromText(text.trim()))
    const isSet = world
      .modem(modem)
      .virtual.faults.list()
      .some(({ name }) => name === fault)
    return isSet ? act('clear-fault', { modem, fault }) : act('set-fault', { modem, fault, options })
  }

  /** By the same door as the control interface. */
  function act(name: string, input: object): string {
    const instruction = allInstructions[name]
    const checked = instruction?.body.safeParse(input)
    if (checked?.success === false) {
      const { path, problem } = firstProblem(checked.error)
      return `${name}: ${path}${path && ': '}${problem}`
    }
    try {
      instruction?.run(world, checked?.data)
      return `${name} done`
    } catch (error) {
      return `${name}: ${(error as Error).message}`
    }
  }
}

function statusOf(keyboard: KeyboardState, said: string): string {
  if (keyboard.mode === 'watching') return said ? `${said}   ${KEYS}` : KEYS
  const label =
    keyboard.purpose === 'message' ? `text from ${OUTSIDE_PHONE}` : 'fault, such as prompt-late:delayMs=2000'
  return `${label}: ${keyboard.text}▏`
}

const KEYS = 'Tab next modem  m message  f fault  u unplug/plug  r restart  q quit'
const OUTSIDE_PHONE = '+447700900999'
const REDRAW_MS = 100
const MOST_LINES = 1000
