/** The readable page at /api/docs: Swagger UI over /api/openapi.json, served only from here. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagePolicy } from '../http/page-policy.ts';

export interface DocsAsset {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export const docsContentSecurityPolicy = pagePolicy();

/** @param key filled in for the caller; null when the caller enters one. */
export function docsPage(key: string | null): { readonly html: string } {
  const shown = key === null ? '' : ` data-key="${key.replace(/[^\w-]/g, '')}"`;
  return { html: pageWith(shown) };
}

const pageWith = (facts: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Querydock REST API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<link rel="stylesheet" href="/api/docs/docs.css">
</head>
<body${facts}>
<div id="swagger-ui"></div>
<div id="project" hidden></div>
<p id="no-project" hidden>Press Authorize and enter an API key to list the endpoints of its project, each with its variables.</p>
<noscript>This page needs JavaScript. The same document as JSON is at <a href="/api/openapi.json">/api/openapi.json</a>.</noscript>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/docs-init.js"></script>
</body>
</html>
`;

const contentTypes = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'docs.css': 'text/css; charset=utf-8',
  'docs-init.js': 'text/javascript; charset=utf-8',
} as const;

let assets: ReadonlyMap<string, DocsAsset> | null = null;

/** The page's files by name, read when one is first requested. */
export function docsAssets(): ReadonlyMap<string, DocsAsset> {
  assets ??= readAssets();
  return assets;
}

function readAssets(): ReadonlyMap<string, DocsAsset> {
  const files = new Map<string, DocsAsset>();
  for (const [name, contentType] of Object.entries(contentTypes)) {
    files.set(name, { contentType, bytes: readFileSync(findAsset(name)) });
  }
  return files;
}

/**
 * Our own files are beside this one; the others are in `assets/` of a build (inside dist/ or beside it), else in the
 * development dependency.
 */
function findAsset(name: string): string {
  for (const folder of ['browser', '../assets', '../../assets']) {
    const file = path.join(import.meta.dirname, folder, name);
    if (existsSync(file)) return file;
  }
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
}
