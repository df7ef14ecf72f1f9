import { useSearchParams } from 'wouter'

/**
 * A filter that is part of the address, so that reload, Back and a copied link keep it. The default value is left out
 * of the address.
 * @param allowed the values that an address may contain; if left out, any text
 * @param dependent the names of other values in the address. They are removed when this value changes, because they
 * belong to the old value.
 */
export function useUrlValue<Value extends string>(
  name: string,
  usual: Value,
  allowed?: readonly Value[],
  dependent: readonly string[] = [],
): readonly [Value, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams()
  const written = parameters.get(name)
  const value = written !== null && (allowed?.includes(written as Value) ?? true) ? (written as Value) : usual
  const change = (next: string) =>
    setParameters(
      (before) => {
        if (next === usual) before.delete(name)
        else before.set(name, next)
        for (const each of dependent) before.delete(each)
        return before
      },
      { replace: true },
    )
  return [value, change]
}
