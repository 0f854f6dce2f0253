import { type Command, Option } from 'commander';
import { endpointNotFoundNear } from '../../endpoints/resolve-version.ts';
import { withSnakeCase } from '../../lib/snake-case.ts';
import { instantOf } from '../../sql/param-time.ts';
import { advise } from '../../usage/advice/advise.ts';
import { groupNames } from '../../usage/parse-usage.ts';
import { stepOptions } from '../../usage/plan-usage.ts';
import { reportUsage, type UsagePoint, type UsageReport } from '../../usage/read-usage.ts';
import type { UsageFigures } from '../../usage/usage-figures.ts';
import { collect } from '../collect.ts';
import { formatBytes, formatCount, printJson, printTable } from '../output.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

interface UsageOptions {
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly step: string;
  readonly by?: readonly string[];
  readonly advice?: true;
  readonly json?: true;
}

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('Show the usage of a project or an endpoint.')
    .argument('[endpoint]', 'its name')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--from <time>', 'start, in ISO 8601; default: one day before the end')
    .option('--to <time>', 'end, in ISO 8601; default: now')
    .option('--step <step>', `one of ${stepOptions.join(', ')}`, 'all')
    .option('--by <groups>', `any of ${groupNames.join(', ')}, separated by commas`, collect)
    .addOption(
      new Option(
        '--advice',
        'show advice derived from all usage of the project or the endpoint instead',
      ).conflicts(['from', 'to', 'step', 'by']),
    )
    .option('--json', 'print one JSON object, as P/usage or P/usage/advice returns it')
    .action(showUsage);
}

async function showUsage(endpoint: string | undefined, options: UsageOptions): Promise<void> {
  const { step, by } = options;
  const times = { from: toTime('from', options.from), to: toTime('to', options.to) };
  requireKnown('step', [step], stepOptions);
  requireKnown('by', by ?? [], groupNames);
  await withSession(async (session) => {
    const project = await requireProjectOption(session, options.project);
    const endpointId = endpoint === undefined ? null : await idOf(session, project.id, endpoint);
    if (options.advice) return showAdvice(session, { projectId: project.id, endpoint }, options);
    const groupBy = by ?? (endpoint === undefined ? ['endpoint'] : []);
    const now = session.clock.now();
    if (times.from !== null && times.from > (times.to ?? now))
      throw new UsageError('--from must be before --to, which is now by default.');
    const of = { projectId: project.id, endpointId, now };
    const report = await reportUsage(session, { ...times, step, groupBy, ...of });
    if (options.json) printJson(withSnakeCase(report) as Readonly<Record<string, unknown>>);
    else printReport(report);
  });
}

interface AdviceOf {
  readonly projectId: number;
  /** Undefined for all. */
  readonly endpoint: string | undefined;
}

/** Only a server measures the gain of a stored table. */
async function showAdvice(
  session: Session,
  { projectId, endpoint }: AdviceOf,
  { json }: UsageOptions,
): Promise<void> {
  const all = await advise(session, { projectId, now: session.clock.now(), gainOf: () => null });
  const found = all.filter((advice) => endpoint === undefined || advice.endpoint === endpoint);
  if (json) return printJson({ results: withSnakeCase(found) });
  printTable(
    ['ENDPOINT', 'ABOUT', 'ADVICE'],
    found.map(({ endpoint, kind, detail }) => [endpoint, kind, detail]),
    endpoint === undefined
      ? 'There is no advice for this project.'
      : 'There is no advice for this endpoint among the most significant of its project.',
  );
}

async function idOf(session: Session, projectId: number, name: string): Promise<string> {
  const found = await session.endpoints.findEndpoint(projectId, name);
  if (found === null) throw await endpointNotFoundNear(session, projectId, name);
  return found.id;
}

function requireKnown(option: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`--${option} takes ${known.join(', ')}, not "${unknown}".`);
}

function toTime(option: string, given: string | undefined): Date | null {
  if (given === undefined) return null;
  const time = instantOf(given);
  if (time !== null) return time;
  throw new UsageError(`--${option} takes a time in ISO 8601, as in 2001-05-31T12:00:00Z.`);
}

function printReport({ step, groupBy, results, total }: UsageReport): void {
  const at = step === 'all' ? [] : ['TIME'];
  const groups = groupBy.map((name) => name.toUpperCase());
  const headings = ['RUNS', 'ERRORS', 'P50 MS', 'P95 MS', 'ROWS', 'READ', 'ENGINE S', 'CPU S'];
  const lines = results.map((point) => [
    ...(point.at === null ? [] : [point.at.toISOString()]),
    ...groupBy.map((name) => groupText(point, name)),
    ...figureTexts(point),
  ]);
  const blank = [...at, ...groups].map((_, index) => (index === 0 ? 'in all' : ''));
  const sums = blank.length === 0 ? [] : [[...blank, ...figureTexts(total)]];
  const none = 'No runs in this period.';
  printTable([...at, ...groups, ...headings], total.runs === 0 ? [] : [...lines, ...sums], none);
}

function groupText(point: UsagePoint, name: string): string {
  if (name === 'endpoint') return point.endpoint === '' ? '(unsaved)' : (point.endpoint ?? '');
  if (name === 'key')
    return `${point.key?.prefix ?? ''} ${point.key?.label ?? point.key?.id ?? ''}`;
  return String(point[name as 'version' | 'interface' | 'path' | 'outcome'] ?? '');
}

function figureTexts(figures: UsageFigures): readonly string[] {
  const ms = (value: number | null) => (value === null ? '' : value.toPrecision(3));
  return [
    formatCount(figures.runs),
    formatCount(figures.errors),
    ms(figures.p50Ms),
    ms(figures.p95Ms),
    formatCount(figures.rows),
    formatBytes(figures.bytesRead),
    figures.engineSeconds.toFixed(3),
    figures.processorSeconds?.toFixed(3) ?? '',
  ];
}
