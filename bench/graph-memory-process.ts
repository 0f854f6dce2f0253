/** Asks many data graphs for introspection and their text, one after the other, and prints the memory afterwards. */
import { openIntrospection } from '../src/graphql/data-graph/introspection/introspection.ts';
import { printShapes } from '../src/graphql/data-graph/introspection/schema-text.ts';
import {
  maxTextBytes,
  openShapeTexts,
} from '../src/graphql/data-graph/introspection/shape-texts.ts';
import { collectGarbage } from './collect-garbage.ts';
import { endpointsOfEach, type GraphMemory, manyGraphs } from './graph-memory.ts';
import { graphShapes } from './graph-shapes.ts';
import { questionField } from './introspection-question.ts';

const texts = openShapeTexts(maxTextBytes);
const introspection = openIntrospection(texts);

async function ask(project: number): Promise<void> {
  const shapes = graphShapes(endpointsOfEach, project);
  await introspection.schema(questionField, shapes);
  await printShapes(texts, shapes);
}

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const mb = 1024 * 1024;
await ask(0);
const before = usedBytes();
for (let project = 1; project <= manyGraphs; project += 1) await ask(project);
const resident = process.memoryUsage().rss / mb;
const memory: GraphMemory = { resident, grown: (usedBytes() - before) / mb };
process.stdout.write(JSON.stringify(memory));
