/** Shapes of endpoints like those of the demo, as many as asked for. */
import { fieldName } from '../src/data-graph/names.ts';
import type { GraphShape } from '../src/data-graph/shape.ts';
import { type ShapeSource, toShape } from '../src/data-graph/to-shape.ts';

type Endpoint = Omit<ShapeSource, 'field'> & { readonly name: string };

const columns = (types: Readonly<Record<string, string>>) =>
  Object.entries(types).map(([name, type]) => ({ name, type }));

const variable = (name: string, type: string, value?: unknown) => ({
  name,
  type,
  required: value === undefined,
  default: value ?? null,
  description: '',
});

const endpoints: readonly Endpoint[] = [
  {
    name: 'airport_delays',
    description: 'The departures of one airport day by day, and how many of them were late.',
    columns: columns({ day: 'Date', flights: 'UInt64', late: 'UInt64', avg_delay: 'Float64' }),
    variables: [variable('origin', 'String', 'ORD'), variable('late_minutes', 'UInt16', 15)],
  },
  {
    name: 'airport',
    description: 'One airport by its IATA code: its name and where it is.',
    columns: columns({
      iata: 'String',
      name: 'String',
      city: 'String',
      state: 'String',
      country: 'String',
      latitude: 'Float64',
      longitude: 'Float64',
    }),
    variables: [variable('code', 'String')],
  },
  {
    name: 'flights_per_day',
    description: 'Flights, delays and the worst delay of each day in a range of dates.',
    columns: columns({ day: 'Date', flights: 'UInt64', avg_delay: 'Float64', worst: 'Int16' }),
    variables: [
      variable('date_from', 'Date', '2001-05-01'),
      variable('date_to', 'Date', '2001-05-31'),
    ],
  },
  {
    name: 'longest_flights',
    description: 'The longest routes from an airport, from a distance in miles on.',
    columns: columns({
      origin: 'String',
      destination: 'String',
      miles: 'Int16',
      flights: 'UInt64',
    }),
    variables: [variable('origin', 'String', 'ANC'), variable('min_miles', 'Number', 1000)],
  },
];

/** Made anew by each call, as they are when a project is read. @param project tells apart those of several. */
export function graphShapes(count: number, project = 0): readonly GraphShape[] {
  return Array.from({ length: count }, (_, index) => shapeAt(index, project));
}

/** The same with another column at one endpoint. */
export function withOneChanged(
  shapes: readonly GraphShape[],
  round: number,
): readonly GraphShape[] {
  const at = round % shapes.length;
  return shapes.map((shape, index) => (index === at ? changedShape(shape.field, round) : shape));
}

function shapeAt(index: number, project: number): GraphShape {
  const { name, ...source } = endpoints[index % endpoints.length] ?? {
    name: '',
    description: '',
    columns: [],
    variables: [],
  };
  const field = fieldName(`${name}_${project}_${index}`, () => false);
  return toShape({ ...source, field });
}

function changedShape(field: string, round: number): GraphShape {
  const description = 'Changed.';
  return toShape({
    field,
    description,
    columns: columns({ [`added_${round}`]: 'UInt64' }),
    variables: [],
  });
}
