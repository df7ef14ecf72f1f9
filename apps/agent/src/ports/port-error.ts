/** The reason why a port could not be opened, and the solution, in one line. */
export class PortError extends Error {
  override readonly name = 'PortError'
  readonly address: string
  /** `absent`: the device is not connected, but may return. `refused`: the device is connected, but cannot be used. */
  readonly problem: PortProblem['problem']

  constructor(address: string, { problem, explanation }: PortProblem, cause?: unknown) {
    super(`${address}: ${explanation}`, { cause })
    this.address = address
    this.problem = problem
  }
}

export interface PortProblem {
  readonly problem: 'absent' | 'refused'
  readonly explanation: string
}

export function explainSerialError(error: Error): PortProblem {
  const { message } = error
  if (isHeld(error)) {
    return refused('another program uses this port (often ModemManager): stop it, or make it ignore this modem')
  }
  if (isForbidden(error)) {
    return refused('no permission: add the user to the group "dialout", then log in again')
  }
  if (/no such file|ENOENT|ENODEV|ENXIO|no such device/i.test(message)) {
    return absent('no such device: check that the modem is plugged in, and check its port')
  }
  if (/inappropriate ioctl|ENOTTY|not a (tty|terminal)/i.test(message)) {
    return refused('not a serial port: name a device such as /dev/ttyUSB2')
  }
  return refused(`cannot be opened (${message})`)
}

export function isHeld({ message }: Error): boolean {
  return /Cannot lock port|Resource temporarily unavailable|EBUSY|Device or resource busy/i.test(message)
}

export function isForbidden({ message }: Error): boolean {
  return /permission denied|not permitted|EACCES|EPERM/i.test(message)
}

export function explainTcpError(error: NodeJS.ErrnoException): PortProblem {
  switch (error.code) {
    case 'ECONNREFUSED':
      return absent('connection refused: start the emulator or ser2net, or check host and port')
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return absent('unknown host name: check the address')
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return absent('the host does not answer: check address and network')
    default:
      return absent(`cannot be reached (${error.message})`)
  }
}

export const absent = (explanation: string): PortProblem => ({ problem: 'absent', explanation })
export const refused = (explanation: string): PortProblem => ({ problem: 'refused', explanation })
