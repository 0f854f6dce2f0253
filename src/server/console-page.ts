/** The console's page and its files, as written by `npm run build` or `npm start`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pagePolicy } from '../http/page-policy.ts';
import { type PageAsset, toPageAsset } from './page-asset.ts';

/** Ways to sign in other than by API key. */
interface PageSignIn {
  /** A key that the page is delivered with; null for none. */
  readonly key: string | null;
  /** URL that starts the sign-in through an OpenID provider; null without a provider. */
  readonly providerUrl: string | null;
}

export interface ConsolePage {
  /** Null when the console has not been built. */
  render(signIn: PageSignIn): Promise<PageAsset> | null;
  /** One of its files; null when there is no file of this name. */
  asset(name: string): Promise<PageAsset> | null;
}

export const consoleContentSecurityPolicy = pagePolicy();

/** Works from the source as well as from the built JavaScript: both are two folders below the root. */
const builtConsole = path.join(import.meta.dirname, '../../dist/console');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** @param folder read at the first request; a later build needs a restart. */
export function openConsolePage(folder: string = builtConsole): ConsolePage {
  const pages = new Map<string, Promise<PageAsset>>();
  const assets = new Map<string, Promise<PageAsset>>();
  let files: readonly string[] | null = null;
  const has = (name: string) => {
    files ??= listFiles(folder);
    return files.includes(name);
  };
  const read = (name: string) => readFileSync(path.join(folder, name));
  return {
    render({ key, providerUrl }) {
      if (!has('index.html')) return null;
      const name = JSON.stringify([key, providerUrl]);
      const known = pages.get(name);
      if (known !== undefined) return known;
      const bare = read('index.html').toString('utf8');
      const html = withMeta(withMeta(bare, 'demo-key', key), 'sign-in', providerUrl);
      const page = toPageAsset('text/html; charset=utf-8', html);
      pages.set(name, page);
      return page;
    },
    asset(name) {
      const type = contentTypes[path.extname(name)];
      if (type === undefined || !has(name)) return null;
      const known = assets.get(name) ?? toPageAsset(type, read(name));
      assets.set(name, known);
      return known;
    },
  };
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function withMeta(html: string, name: string, value: string | null): string {
  if (value === null) return html;
  const empty = `<meta name="querydock-${name}" content="" />`;
  const content = value.replace(/[^\w:/.%~[\]-]/g, '');
  return html.replace(empty, () => empty.replace('""', () => `"${content}"`));
}

/** Whether the file name contains a hash of its content, so that browsers need not revalidate it. */
export function isHashed(name: string): boolean {
  return /-[\w-]{8}\.(?:js|css)$/.test(name);
}
