import type { CallOptions, Transport } from '../http/transport.ts'
import type {
  ChangeDeviceRequest,
  Device,
  DeviceDetail,
  EnteredPin,
  EnterPinRequest,
  Findings,
  operations,
  PairingCode,
  RestartModemRequest,
  TelemetryPoint,
  UssdAnswer,
  UssdRequest,
} from '../openapi.ts'

type DevicesQuery = NonNullable<operations['getDevices']['parameters']['query']>
type TelemetryQuery = NonNullable<operations['getDevicesByIdTelemetry']['parameters']['query']>

/** The time limit of requests that wait for the device or the mobile network. */
const SLOW_MS = 180_000

/** Agents with their modems and SIMs. */
export class Devices {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists devices, oldest first. With `includeDeleted`, deleted devices as well. */
  async list({ includeDeleted, ...options }: CallOptions & DevicesQuery = {}): Promise<Device[]> {
    const query = { includeDeleted }
    return (await this.#transport.send<Device[]>({ method: 'GET', path: '/devices', query, ...options })).body
  }

  async get(id: string, options?: CallOptions): Promise<DeviceDetail> {
    return (await this.#transport.send<DeviceDetail>({ method: 'GET', path: pathOf(id), ...options })).body
  }

  /** Lists signal, registration and queue over time, oldest first. */
  async telemetry(id: string, query?: TelemetryQuery, options?: CallOptions): Promise<TelemetryPoint[]> {
    const path = `${pathOf(id)}/telemetry`
    return (await this.#transport.send<TelemetryPoint[]>({ method: 'GET', path, query, ...options })).body
  }

  /** Renames a device and its SIMs. */
  async change(id: string, body: ChangeDeviceRequest, options?: CallOptions): Promise<Device> {
    return (await this.#transport.send<Device>({ method: 'PATCH', path: pathOf(id), body, ...options })).body
  }

  /** Enters the PIN of a SIM. After a lost answer the call is not repeated, because a wrong PIN uses up an attempt. */
  async enterPin(id: string, body: EnterPinRequest, options?: CallOptions): Promise<EnteredPin> {
    const path = `${pathOf(id)}/pin`
    return (await this.#transport.send<EnteredPin>({ method: 'POST', path, body, timeoutMs: SLOW_MS, ...options })).body
  }

  async restartModem(id: string, body: RestartModemRequest, options?: CallOptions): Promise<void> {
    const path = `${pathOf(id)}/restart-modem`
    await this.#transport.send({ method: 'POST', path, body, timeoutMs: SLOW_MS, ...options })
  }

  /** Disconnects the agent of a device. Its queued messages fail. */
  async remove(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: pathOf(id), isIdempotent: false, ...options })
  }

  /** Creates a code with which an agent can be paired once. */
  async createPairingCode(options?: CallOptions): Promise<PairingCode> {
    return (await this.#transport.send<PairingCode>({ method: 'POST', path: '/devices/codes', ...options })).body
  }

  /** Makes a device check its machine, its modems and their networks now. */
  async diagnose(id: string, options?: CallOptions): Promise<Findings> {
    const path = `${pathOf(id)}/findings`
    const request = { method: 'POST', path, timeoutMs: SLOW_MS, isIdempotent: true, ...options } as const
    return (await this.#transport.send<Findings>(request)).body
  }

  /** Sends a USSD code such as `*100#`, or a reply with the `sessionId` of the last answer. */
  async ussd(id: string, body: UssdRequest, options?: CallOptions): Promise<UssdAnswer> {
    const path = `${pathOf(id)}/ussd`
    return (await this.#transport.send<UssdAnswer>({ method: 'POST', path, body, timeoutMs: SLOW_MS, ...options })).body
  }
}

function pathOf(id: string): string {
  return `/devices/${encodeURIComponent(id)}`
}
