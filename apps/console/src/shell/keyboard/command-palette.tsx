import { Modal, TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { Icon } from '../../ui/icon.tsx'
import { scrollEdges } from '../../ui/scroll-edges.ts'
import { directionOf, t } from '../../words/text.ts'
import { pressedKey } from './key-sequence.ts'
import { type NamedAction, pageActions } from './page-actions.ts'
import { commandsFor, type PaletteCommand } from './palette-commands.ts'
import './command-palette.css'

/** Opens pages and conversations, and runs actions, by name. Ctrl+K or ⌘K opens and closes it on every page. */
export function CommandPalette({
  isOpen,
  actions,
  onToggle,
  onClose,
}: {
  readonly isOpen: boolean
  /** The actions of every page. */
  readonly actions: readonly NamedAction[]
  readonly onToggle: () => void
  readonly onClose: () => void
}) {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (
        pressedKey(event).toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return
      event.preventDefault()
      onToggle()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onToggle])
  const [path] = useLocation()
  // Closes the palette when another page is shown. Its actions would still change what was shown before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the offered actions belong to the page at this path
  useEffect(onClose, [path, onClose])
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('keyboard.palette')}>
      <Choice actions={actions} onClose={onClose} />
    </Modal>
  )
}

function Choice({ actions, onClose }: { readonly actions: readonly NamedAction[]; readonly onClose: () => void }) {
  const [, goTo] = useLocation()
  const [search, setSearch] = useState('')
  const [position, setPosition] = useState(0)
  const commands = useMemo(() => commandsFor(search, { ofPage: pageActions(), ofAccount: actions }), [search, actions])
  const run = (command: PaletteCommand) => {
    onClose()
    if ('path' in command) goTo(command.path)
    else command.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = (position + step + commands.length) % Math.max(1, commands.length)
      setPosition(next)
      document.getElementById(`command-${next}`)?.scrollIntoView({ block: 'nearest' })
    }
    const chosen = commands[position]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && chosen !== undefined) {
      event.preventDefault()
      run(chosen)
    }
  }
  return (
    <>
      <TextInput
        role="combobox"
        dir={directionOf(search)}
        aria-label={t('palette.placeholder')}
        aria-expanded={commands.length > 0}
        aria-controls="command-list"
        aria-activedescendant={commands.length > 0 ? `command-${position}` : undefined}
        placeholder={t('palette.placeholder')}
        leftSection={<Icon name="search" size={16} />}
        autoComplete="off"
        data-autofocus
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setPosition(0)
        }}
        onKeyDown={onKey}
      />
      <div
        ref={scrollEdges}
        id="command-list"
        role="listbox"
        aria-label={t('keyboard.palette')}
        className="command-list"
      >
        {commands.map((command, at) => (
          // Does not handle keys here, because the field keeps the focus and handles them.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={command.name}
            id={`command-${at}`}
            role="option"
            lang={command.lang}
            tabIndex={-1}
            aria-selected={at === position}
            aria-checked={command.isChosen}
            onMouseMove={() => setPosition(at)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <bdi>{command.name}</bdi>
            {command.isChosen && <Icon name="tick" size={16} />}
          </div>
        ))}
      </div>
    </>
  )
}
