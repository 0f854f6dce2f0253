/** Writes the figures and the chart of docs/performance.md from bench/results/published.json, or from the given file. */
import { publishedFile, readResults } from './results-file.ts';
import { writeDocs } from './write-docs.ts';

writeDocs(readResults(process.argv[2] ?? publishedFile));
