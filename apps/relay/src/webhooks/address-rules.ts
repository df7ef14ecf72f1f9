import ipaddr from 'ipaddr.js'
import { portsOfOthers } from './ports-of-others.ts'

/** Where webhooks may go. Everything but public unicast is refused unless the operator allowed it. */
export interface AddressRules {
  readonly allowHttp: boolean
  /** Networks that are allowed although they are not public, as `192.168.0.0/16` or an address. */
  readonly allowNetworks: readonly string[]
  /** The relay's own host, which webhooks never call. */
  readonly ownHost?: string | undefined
}

/** What the operator says; on a box of one's own the receiver usually stands beside it. */
export function addressRules(operator: {
  readonly allowHttp: boolean
  readonly allowNetworks: readonly string[]
  readonly publicUrl?: string | undefined
  readonly localServerMode: boolean
}): AddressRules {
  return {
    allowHttp: operator.allowHttp || operator.localServerMode,
    allowNetworks: [...operator.allowNetworks, ...(operator.localServerMode ? LOCAL_NETWORKS : [])],
    ownHost: operator.publicUrl === undefined ? undefined : new URL(operator.publicUrl).host,
  }
}

/** Of an address as the resolver or a URL gives it. */
export function isAllowedAddress(address: string, { allowNetworks }: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false
  // IPv4 in IPv6 clothes is judged as the IPv4 address that it reaches.
  const parsed = ipaddr.process(address)
  return isPublic(parsed) || allowNetworks.some((network) => isWithin(parsed, network))
}

/** What is wrong with the URL of a webhook, as far as it can be told without looking up a name. */
export function urlProblem(text: string, rules: AddressRules): string | undefined {
  // The URL parser drops them silently.
  if (/[\s\p{Cc}]/u.test(text)) return 'must not hold spaces or control characters'
  if (!URL.canParse(text)) return 'is no URL: it must be one such as https://example.com/sms'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.protocol === 'http:' && !rules.allowHttp)
    return 'must begin with https://: only the operator can allow plain HTTP (WEBHOOK_ALLOW_HTTP)'
  if (url.username !== '' || url.password !== '')
    return 'must not hold credentials: verify the signature of the request instead'
  // A name with a dot at its end is the same name.
  if (url.host.replace(/\.(?=:|$)/, '') === rules.ownHost) return 'is this very service, which webhooks never call'
  if (portsOfOthers.has(url.port)) return `names port ${url.port}, where something else than HTTP is spoken`
  const address = literalAddress(url.hostname)
  if (address !== undefined && !isAllowedAddress(address, rules))
    return `is not public: only the operator can allow ${address} (WEBHOOK_ALLOW_CIDRS)`
  return undefined
}

/** What lies outside of 2000::/3 is handed out to nobody, or is IPv4 in one of its older clothes (`::127.0.0.1`). */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const isAssigned = address.kind() === 'ipv4' || isWithin(address, '2000::/3')
  return isAssigned && address.range() === 'unicast'
}

const LOCAL_NETWORKS = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [base, bits] = network.includes('/')
    ? ipaddr.parseCIDR(network)
    : ([ipaddr.parse(network), ipaddr.parse(network).toByteArray().length * 8] as const)
  return base.kind() === address.kind() && address.match(base, bits)
}

/** `localhost` needs no lookup: by RFC 6761 it is never anything else. */
function literalAddress(hostname: string): string | undefined {
  if (/(^|\.)localhost\.?$/.test(hostname)) return '127.0.0.1'
  const address = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) ? address : undefined
}
