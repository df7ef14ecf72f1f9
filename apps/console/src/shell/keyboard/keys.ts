import { useEffect } from 'react'
import { type KeyActions, KeySequence, pressedKey } from './key-sequence.ts'

const dialogs = '[role="dialog"][aria-modal="true"], [role="menu"]'
/** True if a dialogue or a menu was open when the current key was pressed. */
let wasDialogOpen = false
// Escape closes a dialogue before the shortcuts receive the key, so this listener must run before the dialogue closes.
globalThis.addEventListener?.('keydown', () => (wasDialogOpen = document.querySelector(dialogs) !== null), {
  capture: true,
})

/** Keyboard shortcuts. They are off in input fields, dialogues and menus. */
export function useKeys(keys: KeyActions): void {
  useEffect(() => {
    const sequence = new KeySequence(keys)
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target))
        return sequence.forget()
      // Only keys that move through a list are repeated while they are held down.
      const key = pressedKey(event)
      if (event.repeat && !['j', 'k'].includes(key)) return
      const act = sequence.next(key, event.timeStamp)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [keys])
}

/** True while an input field has the focus, or a dialogue or menu is open. */
function isTaken(target: EventTarget | null): boolean {
  if (wasDialogOpen) return true
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
