import type { MouseEvent } from 'react'
import { Link } from 'wouter'
import { useHistoryState, usePathname, useSearch } from 'wouter/use-browser-location'
import { setupPath } from '../setup/setup-path.ts'
import { Icon } from '../ui/icon.tsx'
import { pathPart } from '../ui/values/path-part.ts'
import { shownNumber } from '../ui/values/shown-number.ts'
import { t } from '../words/text.ts'
import { isAt, placeName, places } from './places.ts'
import './back-link.css'

/** Kept by the browser with the entry of the history, so that a reload keeps it and a copied address does not. */
interface Origin {
  /** The address of the page with the link, with its filters. */
  readonly origin?: string
}

/** The state for a link to a page with a back link, which then leads back to this page with its present filters. */
export function useOrigin(): Origin {
  return { origin: usePathname() + useSearch() }
}

/** Removes the origin of this page, which would show the next user where this user has been. */
export function forgetOrigin(): void {
  history.replaceState(null, '', location.href)
}

/** Leads back to the page with the link that was followed, or to the list. */
export function BackLink({ list }: { readonly list: string }) {
  const { origin } = useHistoryState<Origin | null>() ?? {}
  const path = origin ?? list
  const name = nameOf(path)
  return (
    <Link
      href={path}
      className="back-link"
      aria-label={t('common.backTo', { name })}
      onClick={(event) => {
        if (origin === undefined || !isPlain(event)) return
        // Goes back in the history, which restores the scroll position.
        event.preventDefault()
        history.back()
      }}
    >
      <Icon name="back" size={16} />
      <bdi>{name}</bdi>
    </Link>
  )
}

function nameOf(address: string): string {
  const [path = ''] = address.split('?')
  const number = pathPart('/conversations', path)
  if (number !== undefined) return t('thread.title', { number: shownNumber(number) })
  if (path === '/messages') return t('conversations.outgoing')
  if (path === setupPath) return t('setup.title')
  return placeName(places.find((place) => isAt(path, place.path))?.path ?? '/')
}

/** True for a click that opens the link in this tab. */
function isPlain({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey
}
