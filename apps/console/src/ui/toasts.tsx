import { type ComponentType, useEffect, useState } from 'react'

const starting = new EventTarget()

/** Confirms an action with a short message in a corner of the page. */
export async function showToast(message: string): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({ message })
  starting.dispatchEvent(new Event('start'))
}

/**
 * The area where toasts are shown. Its code (7 kB compressed) is loaded with the first toast, because most visits show
 * none.
 */
export function Toasts() {
  const [Region, setRegion] = useState<ComponentType<{ position: 'top-right'; limit: number }>>()
  useEffect(() => {
    const start = async () => {
      const { Notifications } = await import('@mantine/notifications')
      setRegion(() => Notifications)
    }
    starting.addEventListener('start', start)
    return () => starting.removeEventListener('start', start)
  }, [])
  return Region === undefined ? null : <Region position="top-right" limit={4} />
}
