import ipaddr from 'ipaddr.js'
import type { ValueProblem } from '../http/errors/api-error.ts'

/** The addresses that webhooks may call. Everything except public unicast is refused unless the operator allows it. */
export interface AddressRules {
  readonly allowHttp: boolean
  /** The allowed networks that are not public, such as `192.168.0.0/16` or a single address. */
  readonly allowNetworks: readonly string[]
  /** The relay's own host, which webhooks never call. */
  readonly ownHost?: string | undefined
}

/**
 * Returns the rules from the operator's settings. Local Server mode allows private addresses by default, because its
 * webhook receivers are usually on the same network.
 */
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

/** Returns true if webhooks may call this address, which comes from a resolver or a URL. */
export function isAllowedAddress(address: string, { allowNetworks }: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false
  // If an IPv6 address contains a mapped IPv4 address, checks that IPv4 address.
  const parsed = ipaddr.process(address)
  return isPublic(parsed) || allowNetworks.some((network) => isWithin(parsed, network))
}

/** Returns what is wrong with the URL of a webhook, or undefined if it is valid. Does not make a DNS look-up. */
export function urlProblem(text: string, rules: AddressRules): ValueProblem | undefined {
  // The URL parser silently drops these characters.
  if (/[\s\p{Cc}]/u.test(text))
    return { reason: 'url_invalid', message: 'must not contain spaces or control characters' }
  if (!URL.canParse(text))
    return { reason: 'url_invalid', message: 'is not a valid URL: use one such as https://example.com/sms' }
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { reason: 'url_not_https', message: 'must begin with https://' }
  if (url.protocol === 'http:' && !rules.allowHttp)
    return {
      reason: 'url_http_not_allowed',
      message: 'must begin with https://: only the operator can allow plain HTTP (WEBHOOK_ALLOW_HTTP)',
    }
  if (url.username !== '' || url.password !== '')
    return {
      reason: 'url_credentials',
      message: 'must not contain credentials: verify the signature of the request instead',
    }
  if (!showsHost(text))
    return {
      reason: 'url_invalid',
      message:
        'must show its host name between https:// and the path, without backslashes, "@", "%", hidden characters, symbols such as "☕" or variants of ASCII characters such as "ａ"',
    }
  // Removes a trailing dot, because it does not change the name.
  if (url.host.replace(/\.(?=:|$)/, '') === rules.ownHost)
    return {
      reason: 'url_of_relay',
      message: 'is the address of this relay, but a webhook cannot call the relay itself: use another address',
    }
  const { port } = url
  if (portsOfOthers.has(port)) {
    const message = `uses port ${port}, which is reserved for another protocol: use another port`
    return { reason: 'url_port', values: { port: Number(port) }, message }
  }
  const address = literalAddress(url.hostname)
  if (address === undefined || isAllowedAddress(address, rules)) return undefined
  const message = `is not public: only the operator can allow ${address} (WEBHOOK_ALLOW_CIDRS)`
  return { reason: 'url_not_public', values: { address }, message }
}

/**
 * Returns true if a reader sees the host that a request contacts. The URL parser adds missing slashes, reads a
 * backslash as a slash, decodes the host name, drops hidden characters from it and replaces variants of ASCII
 * characters, such as full-width letters and dots. It does not drop joiners, which are part of names in some languages.
 * It accepts symbols, some of which look like the slash at the end of the host.
 */
function showsHost(text: string): boolean {
  const [, host] =
    /^https?:\/\/((?:[\u200C\u200D]|[^/?#\\@%\p{Default_Ignorable_Code_Point}])+)(?:[/?#]|$)/iu.exec(text) ?? []
  return host !== undefined && !Array.from(host).some(isMisleading)
}

/** Returns true for variants of ASCII characters and for symbols, which IDNA 2008 does not allow either. */
function isMisleading(character: string): boolean {
  return character > '\x7F' && (/\p{S}/u.test(character) || /[\0-\x7F。]/.test(character.normalize('NFKC')))
}

/** IPv6 addresses outside 2000::/3 are not assigned, or are older forms of IPv4 addresses (`::127.0.0.1`). */
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

/**
 * Returns the address that a host name contains. `localhost` counts as an address, because RFC 6761 reserves it for
 * loopback.
 */
function literalAddress(hostname: string): string | undefined {
  if (/(^|\.)localhost\.?$/.test(hostname)) return '127.0.0.1'
  const address = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) ? address : undefined
}

/**
 * The "bad ports" of the WHATWG Fetch standard, which browsers refuse because a mail or chat server might obey the
 * request.
 */
const portsOfOthers: ReadonlySet<string> = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
  137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720
  1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
)
