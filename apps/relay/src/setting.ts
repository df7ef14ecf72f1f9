import ipaddr from 'ipaddr.js'
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max'
import { z } from 'zod'

/** A setting of networks or addresses, separated by commas. */
export function networks() {
  return z.string().transform((value, context) => {
    const parts = value.split(',').map((part) => part.trim())
    const wrong = parts.find((part) => part !== '' && !isNetwork(part))
    if (wrong === undefined) return parts.filter((part) => part !== '')
    context.addIssue({ code: 'custom', message: `"${wrong}" is neither an address nor a network` })
    return z.NEVER
  })
}

export function region() {
  return z
    .string()
    .refine((value) => isSupportedCountry(value), 'must be a country code of two capital letters')
    .transform((value) => value as CountryCode)
}

function isNetwork(value: string): boolean {
  return value.includes('/') ? ipaddr.isValidCIDR(value) : ipaddr.isValid(value)
}
