/** GraphiQL: a small page with its initial content, and its files, all served from here, so that it works offline. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pagePolicy } from '../http/page-policy.ts';
import { type PageAsset, toPageAsset } from './page-asset.ts';

/** An initial tab of GraphiQL. */
export interface GraphiQLExample {
  readonly query: string;
  readonly variables?: string;
}

/** What GraphiQL shows: the service's own schema, or the data graph of one project. */
export type GraphiQLSubject = 'service' | 'project';

export interface GraphiQLPage {
  /** The page; `key` is filled into its headers. */
  render(subject: GraphiQLSubject, key: string | null): Promise<PageAsset>;
  /** One of its files; null when there is no file of this name. */
  asset(name: string): Promise<PageAsset | null>;
}

export const graphiqlContentSecurityPolicy = pagePolicy("worker-src 'self'");

/** The initial tab when no other is prepared. Lines must fit the editor's width. */
const welcome = `# Querydock: saved queries, by name.
#
# 1. Put your API key into Headers, below.
# 2. Press the play button: this lists the
#    endpoints of your project.
# 3. Run one of them:
#
#    query Run($input: RunInput) {
#      runEndpoint(projectId: "@current",
#        name: "airport", input: $input) {
#        columns results hasMore
#      }
#    }
#
# The book at the top left documents every
# type and field. Ctrl-Space completes.
query Endpoints {
  endpoints(projectId: "@current", first: 20) {
    totalCount
    edges {
      node {
        name
        description
        variables { name type required default }
      }
    }
  }
}
`;

/** The same for a project's data graph. */
const welcomeToProject = `# Each endpoint of this project is a field, its
# variables are arguments, its rows are typed.
#
# 1. Put your API key into Headers, below.
# 2. Press the play button: this lists the fields.
# 3. Run one of them:
#
#    {
#      airport(code: "SFO") {
#        rows { name city }
#        isCached
#      }
#    }
query Fields {
  __schema {
    queryType {
      fields { name description }
    }
  }
}
`;

const browserFiles = path.join(import.meta.dirname, 'browser');
const scriptType = 'text/javascript; charset=utf-8';
const styleType = 'text/css; charset=utf-8';

/** The initial tabs of each page; when empty, one tab explains how to begin. */
export type GraphiQLExamples = Readonly<Record<GraphiQLSubject, readonly GraphiQLExample[]>>;

export const noExamples: GraphiQLExamples = { service: [], project: [] };

export function openGraphiQLPage(examples: GraphiQLExamples): GraphiQLPage {
  const pages = new Map<string, Promise<PageAsset>>();
  let assets: Promise<ReadonlyMap<string, PageAsset>> | null = null;
  return {
    render(subject, key) {
      const name = `${subject} ${key}`;
      const known = pages.get(name);
      if (known !== undefined) return known;
      const html = renderPage({ subject, key, examples: examples[subject] });
      const page = toPageAsset('text/html; charset=utf-8', html);
      pages.set(name, page);
      return page;
    },
    async asset(name) {
      assets ??= readAssets();
      return (await assets).get(name) ?? null;
    },
  };
}

const welcomes: Readonly<Record<GraphiQLSubject, string>> = {
  service: welcome,
  project: welcomeToProject,
};

function renderPage({
  subject,
  key,
  examples,
}: {
  readonly subject: GraphiQLSubject;
  readonly key: string | null;
  readonly examples: readonly GraphiQLExample[];
}): string {
  const tabs = examples.length === 0 ? [{ query: welcomes[subject] }] : examples;
  const facts = JSON.stringify({ key, subject, tabs }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Querydock GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphql/graphiql.css">
<link rel="stylesheet" href="/graphql/start.css">
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script type="application/json" id="facts">${facts}</script>
<p id="notice" role="status"></p>
<script src="/graphql/keep-json.js"></script>
<script src="/graphql/graphiql.js"></script>
<script type="module" src="/graphql/start.js"></script>
</body>
</html>
`;
}

/** The package's files; it only exports a page of its own, so the module with the files is imported by path. */
interface GraphiQLFiles {
  readonly js: string;
  readonly css: string;
  readonly editorWorkerService: string;
  readonly jsonWorker: string;
  readonly graphqlWorker: string;
}

/** Nine megabytes of source take forty in memory, so they are loaded at the first request for a file. */
async function readAssets(): Promise<ReadonlyMap<string, PageAsset>> {
  const main = import.meta.resolve('@graphql-yoga/render-graphiql');
  const files = (await import(new URL('graphiql.js', main).href)) as GraphiQLFiles;
  const own = (name: string) => readFileSync(path.join(browserFiles, name));
  const texts: Readonly<Record<string, readonly [string, string | Buffer]>> = {
    'graphiql.css': [styleType, files.css],
    'graphiql.js': [scriptType, withMorePlugins(files.js)],
    'editor-worker.js': [scriptType, files.editorWorkerService],
    'json-worker.js': [scriptType, files.jsonWorker],
    'graphql-worker.js': [scriptType, files.graphqlWorker],
    'start.css': [styleType, own('start.css')],
    ...Object.fromEntries(ownScripts().map((name) => [name, [scriptType, own(name)] as const])),
  };
  const named = Object.entries(texts).map(
    async ([name, [type, text]]) => [name, await toPageAsset(type, text)] as const,
  );
  return new Map(await Promise.all(named));
}

function ownScripts(): readonly string[] {
  return readdirSync(browserFiles).filter((name) => name.endsWith('.js'));
}

const PLUGINS = /plugins:\[(\w+)\](?=,schemaDescription:)/;

/**
 * The package builds in GraphiQL's explorer and accepts other plugins only in its place; this patches it to show both.
 * @throws Error when the package's code differs, which pinning its version prevents.
 */
function withMorePlugins(script: string): string {
  if (!PLUGINS.test(script)) throw new Error('GraphiQL has no place for more plugins.');
  return script.replace(PLUGINS, 'plugins:[$1,...(globalThis.morePlugins??[])]');
}
