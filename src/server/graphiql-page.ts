import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** An initial tab of GraphiQL. */
export interface GraphiQLExample {
  readonly query: string;
  readonly variables?: string;
}

export interface GraphiQLPage {
  /** The page; `key` is filled into its headers. */
  render(key: string | null): Promise<RenderedPage>;
}

export interface RenderedPage {
  readonly html: Buffer;
  readonly gzipped: Buffer;
}

const compress = promisify(gzip);
const placeholderKey = 'YOUR_API_KEY';

/**
 * GraphiQL with everything it needs in one page, so that it works offline. The page is large, so it is rendered once
 * per key.
 */
export function openGraphiQLPage(examples: readonly GraphiQLExample[]): GraphiQLPage {
  const pages = new Map<string, Promise<RenderedPage>>();
  return {
    render(key) {
      const shown = key ?? placeholderKey;
      const known = pages.get(shown);
      if (known !== undefined) return known;
      const page = renderPage(shown, examples);
      pages.set(shown, page);
      return page;
    },
  };
}

async function renderPage(
  key: string,
  examples: readonly GraphiQLExample[],
): Promise<RenderedPage> {
  // Nine megabytes of source take forty in memory, so it is loaded at the first request for the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = JSON.stringify({ Authorization: `Bearer ${key}` }, null, 2);
  const html = Buffer.from(
    renderGraphiQL({
      title: 'Querydock GraphiQL',
      headers,
      defaultHeaders: headers,
      shouldPersistHeaders: true,
      ...(examples.length === 0 ? {} : { defaultTabs: examples.map((tab) => toTab(tab, headers)) }),
    } as Parameters<typeof renderGraphiQL>[0]),
  );
  return { html, gzipped: await compress(html, { level: 6 }) };
}

function toTab({ query, variables }: GraphiQLExample, headers: string): object {
  return { query, headers, variables: variables ?? null };
}
