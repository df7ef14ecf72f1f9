/**
 * Child processes receive only the variables in this list, because the environment of this process contains secrets.
 */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']

/** Returns the environment for child processes. The locale is fixed because some of their messages are parsed. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const kept = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}
