import { useEffect } from 'react'
import type { IconName } from '../../ui/icon.tsx'
import type { Language } from '../../words/language.ts'

/** An action of the console that the command palette offers beside the pages. */
export interface NamedAction {
  readonly name: string
  readonly icon: IconName
  /** The language of the name, if it is not the language of the page. */
  readonly lang?: Language
  /** Whether the action chooses the present setting. */
  readonly isChosen?: boolean
  readonly run: () => void
}

const offered = new Set<readonly NamedAction[]>()

/** Offers actions in the command palette while the caller is shown. */
export function usePageActions(actions: readonly NamedAction[]): void {
  useEffect(() => {
    offered.add(actions)
    return () => {
      offered.delete(actions)
    }
  }, [actions])
}

export function pageActions(): readonly NamedAction[] {
  return [...offered].flat()
}
