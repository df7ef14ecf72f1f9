import { createContext, useContext } from 'react'

interface PhoneSwitch {
  readonly exists: boolean
  readonly isOpen: boolean
  readonly toggle: () => void
}

export const PhoneContext = createContext<PhoneSwitch>({ exists: false, isOpen: false, toggle: () => undefined })

/** Whether the virtual phone stands beside the page. */
export function usePhoneSwitch(): PhoneSwitch {
  return useContext(PhoneContext)
}
