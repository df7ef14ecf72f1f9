import { createContext, useContext } from 'react'

interface PhoneSwitch {
  readonly exists: boolean
  readonly isOpen: boolean
  readonly toggle: () => void
}

export const PhoneContext = createContext<PhoneSwitch>({ exists: false, isOpen: false, toggle: () => undefined })

/** True while the virtual phone is shown beside the page. */
export function usePhoneSwitch(): PhoneSwitch {
  return useContext(PhoneContext)
}
