import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One file importing another; both without extension, relative to the root. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Gone when the code runs. */
  readonly typeOnly: boolean;
}

const IMPORT = /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm;

/** Every relative import below the root, static ones. */
export function readEdges(root: string): readonly Edge[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((f) =>
    /\.tsx?$/.test(f),
  );
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return [...text.matchAll(IMPORT)].map((match) => ({
      from: withoutExtension(file),
      to: withoutExtension(path.posix.join(path.posix.dirname(file), match[2] ?? '')),
      typeOnly: match[1] !== undefined,
    }));
  });
}

/** The first cycle of imports, types included, ending where it began; null when there is none. Generated code is left out. */
export function findCycle(edges: readonly Edge[]): readonly string[] | null {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (!from.startsWith('generated/')) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();

  function visit(file: string, trail: readonly string[]): readonly string[] | null {
    const seen = trail.indexOf(file);
    if (seen !== -1) return [...trail.slice(seen), file];
    if (done.has(file)) return null;
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to, [...trail, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  }

  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

function withoutExtension(file: string): string {
  return file.replace(/\.(tsx?|js|mjs)$/, '');
}
