/** `<data folder>/demo.json`: the demo's URL and key, for people and scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../../lib/private-file.ts';
import { makePrivateFolder } from '../../lib/private-folder.ts';

const demoFile = z.object({
  url: z.string(),
  graphql_url: z.string(),
  project_id: z.number().int().positive(),
  api_key: z.string(),
});

export type DemoFile = z.infer<typeof demoFile>;

export function demoFilePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

export function writeDemoFile(dataDir: string, facts: DemoFile): void {
  makePrivateFolder(dataDir);
  writePrivateFile(demoFilePath(dataDir), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Null when it is missing or invalid: the demo then gets a new key. */
export function readDemoFile(dataDir: string): DemoFile | null {
  try {
    return demoFile.parse(JSON.parse(readFileSync(demoFilePath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}
