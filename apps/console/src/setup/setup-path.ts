export const setupPath = '/setup'

/** The setup of one device. */
export function setupPathOf(deviceId: string): string {
  return `${setupPath}?device=${encodeURIComponent(deviceId)}`
}
