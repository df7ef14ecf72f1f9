import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import { LineState } from './line-state.tsx'
import { usePhoneSwitch } from './phone-context.ts'
import { isAt, places } from './places.ts'
import { Wordmark } from './wordmark.tsx'
import './rail.css'

/** The menu at the side of a wide screen. */
export function Rail({ onHelp }: { readonly onHelp: () => void }) {
  const [location] = useLocation()
  const phone = usePhoneSwitch()
  return (
    <nav className="rail" aria-label="Main">
      <Link href="/" className="rail-home" aria-label="smsgw, overview">
        <Wordmark />
      </Link>
      <div className="rail-links">
        {places.map(({ path, name, icon }) => (
          <Link key={path} href={path} className="rail-link" aria-current={isAt(location, path) ? 'page' : undefined}>
            <Icon name={icon} />
            {name}
          </Link>
        ))}
      </div>
      <div className="rail-foot">
        {phone.exists && (
          <button type="button" className="rail-link" aria-pressed={phone.isOpen} onClick={phone.toggle}>
            <Icon name="phone" />
            Virtual phone
          </button>
        )}
        <LineState />
        <AccountMenu onHelp={onHelp} />
      </div>
    </nav>
  )
}
