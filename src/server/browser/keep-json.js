// Runs before GraphiQL's bundle, which replaces the browser's JSON with its own parser, without raw numbers.
globalThis.browserJson = { parse: JSON.parse, stringify: JSON.stringify };
