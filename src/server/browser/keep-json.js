// Runs before GraphiQL's bundle, which puts a parser of its own, without raw numbers, in place of the browser's.
globalThis.browserJson = { parse: JSON.parse, stringify: JSON.stringify };
