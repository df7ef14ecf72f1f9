// Texts about diagnostics, which few pages show, and about causes, for which English pages show the texts of the API. A
// page that shows diagnostics imports this module, so that the first page of the console loads 6 kB less. The build
// removes all other texts from this import, and removes these texts from the other imports of `en.json`
// (vite.config.ts). The catalogues of other languages are loaded as a whole.
import texts from './en.json' with { type: 'json' }
import { addEnglish } from './text.ts'

addEnglish(texts)
